// What makes pages livelier. Every page works without it.
"use strict";

const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

function themeSwitch() {
  const button = one("[data-theme-switch]");
  button?.addEventListener("click", () => {
    const dark = document.documentElement.dataset.theme === "dark" ||
      (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    const chosen = dark ? "light" : "dark";
    document.documentElement.dataset.theme = chosen;
    try { localStorage.setItem("hypermnesia-theme", chosen); } catch { /* holds for this page */ }
    document.dispatchEvent(new Event("theme"));
  });
}

function menu() {
  const button = one(".menu-button");
  button?.addEventListener("click", () => {
    const closed = one(".side").classList.toggle("closed");
    button.setAttribute("aria-expanded", String(!closed));
  });
}

function searchKey() {
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const field = one("input[type=search]");
    event.preventDefault();
    if (field) field.select();
    else location.href = one(".nav a").href;
  });
}

function chooseAll() {
  for (const box of all("[data-all]")) {
    const others = () => all(`input[name="${box.dataset.all}"][type=checkbox]`, box.form);
    box.addEventListener("change", () => { for (const other of others()) other.checked = box.checked; });
  }
}

// A part of a page. What was wrong with a request is told in such a part, too.
async function rendered(address) {
  const response = await fetch(address);
  if (response.status === 401) location.reload();  // the session is over: one signs in again
  if (!response.headers.get("content-type")?.startsWith("text/html")) throw new Error(String(response.status));
  return response.text();
}

// Puts what the server rendered in place of an element's content; the newest request wins.
function loader(target) {
  let latest = 0;
  return async (address) => {
    const mine = ++latest;
    target.classList.add("busy");
    try {
      const text = await rendered(address);
      if (mine === latest) target.innerHTML = text;
    } catch {
      if (mine === latest) target.textContent = "The service does not answer; try again in a moment.";
    } finally {
      if (mine === latest) target.classList.remove("busy");
    }
  };
}

const DAY = 86400000;
const shown = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

function timeline() {
  const form = one("[data-timeline]");
  if (!form) return;
  const slider = one("#slider"), field = one("#as_of"), output = one("output", form);
  const load = loader(one("#held"));
  const first = Date.parse(form.dataset.first), days = Math.round((Date.parse(form.dataset.last) - first) / DAY);
  slider.max = String(days + 1);
  slider.hidden = false;
  const place = () => { slider.value = field.value ? String(Math.round((Date.parse(field.value) - first) / DAY)) : slider.max; };
  const tell = () => {
    output.textContent = field.value ? shown.format(Date.parse(field.value)) : "Now";
    slider.setAttribute("aria-valuetext", output.textContent);
  };
  const show = () => {
    const address = new URL(form.dataset.timeline, location.href);
    for (const [name, value] of new FormData(form)) if (value) address.searchParams.append(name, value);
    load(address);
    const page = new URL(address);
    page.pathname = new URL(form.action).pathname;
    history.replaceState(null, "", page);
  };
  let soon;
  slider.addEventListener("input", () => {
    const last = slider.value === slider.max;
    field.value = last ? "" : new Date(first + Number(slider.value) * DAY).toISOString().slice(0, 10);
    tell();
    clearTimeout(soon);
    soon = setTimeout(show, 120);
  });
  form.addEventListener("change", (event) => {
    if (event.target === slider) return;
    place(); tell(); show();
  });
  place(); tell();
}

const BEAT = 3000;

function activity() {
  const feed = one("[data-feed]"), live = one("[data-live]"), said = one("[data-live-said]");
  if (!feed) return;
  const beat = async () => {
    if (live.checked && !document.hidden) {
      const address = new URL(feed.dataset.feed, location.href);
      address.searchParams.set("after", feed.firstElementChild?.dataset.number ?? "0");
      try {
        const rows = (await rendered(address)).trim();
        if (rows) feed.insertAdjacentHTML("afterbegin", rows);
        while (feed.children.length > 500) feed.lastElementChild.remove();
        said.textContent = "";
      } catch {
        said.textContent = "The service does not answer; trying again.";
      }
    }
    setTimeout(beat, BEAT);
  };
  setTimeout(beat, BEAT);
}

function jobs() {
  const place = one("[data-jobs]");
  if (!place) return;
  const load = loader(place);
  const beat = async () => {
    if (one("[data-under-way]", place) && !document.hidden) await load(place.dataset.jobs);
    setTimeout(beat, BEAT / 2);
  };
  setTimeout(beat, BEAT / 4);
}

themeSwitch(); menu(); searchKey(); chooseAll(); timeline(); activity(); jobs();
