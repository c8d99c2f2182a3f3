// The hypergraph as a drawing: a force layout on a canvas, a hull around what each head holds.
// The list beside it says the same in words; both open and close together.
"use strict";

(() => {
  const root = document.querySelector("[data-graph]");
  if (!root) return;
  const canvas = root.querySelector("canvas"), pen = canvas.getContext("2d");
  const said = document.querySelector("[data-graph-said]");
  const MOST = 4000;      // nodes drawn at once; beyond, something must be closed first
  const ASKED = 40;       // heads asked for at once, as the service allows
  const SIZES = { topic: 11, episode: 7.5, fact: 4.5, turn: 3.5 };

  const nodes = new Map();   // id -> node
  const open = new Map();    // head id -> [{ id, weight }]
  let view = { x: 0, y: 0, k: 1 }, touched = false, hovered = null, chosen = null, colours = {};

  const force = d3.forceSimulation([])
    .force("charge", d3.forceManyBody().strength((n) => -18 * SIZES[n.level]).distanceMax(420).theta(1.1))
    .force("link", d3.forceLink([]).id((n) => n.id).distance((l) => 26 + 5 * SIZES[l.target.level]).strength(0.5))
    .force("collide", d3.forceCollide((n) => SIZES[n.level] + 3))
    .force("x", d3.forceX(0).strength(0.045)).force("y", d3.forceY(0).strength(0.06))
    .alphaDecay(0.035).on("tick", draw).stop();

  // --- state ----------------------------------------------------------------------

  function place(node, near) {
    const n = nodes.size, angle = n * 2.39996, far = near ? 30 + 4 * Math.sqrt(n % 60) : 26 * Math.sqrt(n);
    node.x = (near?.x ?? 0) + far * Math.cos(angle);
    node.y = (near?.y ?? 0) + far * Math.sin(angle);
    nodes.set(node.id, node);
  }

  function settle(heat = 0.7) {
    const links = [];
    for (const [head, members] of open) for (const m of members) links.push({ source: head, target: m.id, weight: m.weight });
    force.nodes([...nodes.values()]);
    force.force("link").links(links);
    force.alphaDecay(nodes.size > 1500 ? 0.07 : 0.035).alpha(heat).restart();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) { force.stop(); force.tick(120); draw(); }
    root.dataset.nodes = String(nodes.size);
  }

  function say(text) { said.textContent = text; }

  async function fetchMembers(heads) {
    const address = new URL(root.dataset.graph, location.href);
    for (const head of heads) address.searchParams.append("head", head);
    const response = await fetch(address);
    if (!response.ok) throw new Error(String(response.status));
    return response.json();
  }

  async function openHeads(heads) {
    const wanted = heads.filter((id) => !open.has(id) && nodes.get(id) && ["topic", "episode"].includes(nodes.get(id).level));
    for (let start = 0; start < wanted.length; start += ASKED) {
      if (nodes.size >= MOST) { say(`${nodes.size.toLocaleString("en")} are drawn; close some before opening more.`); break; }
      let found;
      try { found = await fetchMembers(wanted.slice(start, start + ASKED)); }
      catch { say("The service does not answer; try again in a moment."); break; }
      for (const [head, edge] of Object.entries(found)) {
        for (const member of edge.members) if (!nodes.has(member.id)) place(member, nodes.get(head));
        open.set(head, edge.members.map(({ id, weight }) => ({ id, weight })));
        outlineOpen(head, edge);
      }
      settle();
    }
  }

  function close(head) {
    const members = open.get(head);
    if (!members) return;
    open.delete(head);
    outlineClose(head);
    for (const { id } of members) {
      const held = [...open.values()].some((others) => others.some((o) => o.id === id));
      if (!held && !tops.has(id)) { close(id); nodes.delete(id); if (chosen === id) chosen = null; }
    }
    settle(0.3);
  }

  const toggle = (id) => (open.has(id) ? close(id) : openHeads([id]));

  // --- the list -------------------------------------------------------------------

  const rows = (id) => [...root.querySelectorAll(`li[data-id="${CSS.escape(id)}"]`)];

  function outlineOpen(head, edge) {
    for (const row of rows(head)) {
      row.querySelector("button")?.setAttribute("aria-expanded", "true");
      if (row.querySelector(":scope > ul")) continue;
      const list = document.createElement("ul");
      for (const member of edge.members) list.append(outlineRow(member));
      if (edge.total > edge.members.length) {
        const rest = document.createElement("li");
        rest.className = "rest";
        rest.textContent = `and ${(edge.total - edge.members.length).toLocaleString("en")} more on its own page`;
        list.append(rest);
      }
      row.append(list);
    }
  }

  function outlineRow(member) {
    const row = document.createElement("li"), branch = document.createElement("div"), link = document.createElement("a");
    row.dataset.id = member.id;
    branch.className = "branch";
    if (member.level === "episode") {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-expanded", "false");
      button.setAttribute("aria-label", `Open: ${member.text.slice(0, 60)}`);
      branch.append(button);
    } else {
      branch.append(document.createElement("span"));
    }
    link.href = member.href;
    link.textContent = member.text;
    branch.append(link);
    row.append(branch);
    return row;
  }

  function outlineClose(head) {
    for (const row of rows(head)) {
      row.querySelector("button")?.setAttribute("aria-expanded", "false");
      row.querySelector(":scope > ul")?.remove();
    }
  }

  function choose(id) {
    chosen = id;
    for (const branch of root.querySelectorAll(".branch.chosen")) branch.classList.remove("chosen");
    const row = id && rows(id)[0];
    row?.firstElementChild.classList.add("chosen");
    row?.scrollIntoView({ block: "nearest" });
    draw();
  }

  root.querySelector(".outline").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) toggle(button.closest("li").dataset.id);
  });
  root.querySelector(".outline").addEventListener("focusin", (event) => {
    const row = event.target.closest("li[data-id]");
    if (row) { chosen = row.dataset.id; draw(); }
  });

  // --- the drawing ----------------------------------------------------------------

  function readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["surface", "ink", "quiet", "line", "accent", "accent-soft", "accent-faint"]) colours[name] = style.getPropertyValue(`--${name}`).trim();
  }

  // The hull of the middles first, then that of rings around its corners: few points are sorted.
  function hull(head, members) {
    const held = [nodes.get(head), ...members.map((m) => nodes.get(m.id))].filter(Boolean);
    const middles = held.map((n) => [n.x, n.y, SIZES[n.level] + 9]);
    const corners = d3.polygonHull(middles) ?? middles;
    const rings = [];
    for (const [x, y, r] of corners) for (let i = 0; i < 8; i++) rings.push([x + r * Math.cos(i * Math.PI / 4), y + r * Math.sin(i * Math.PI / 4)]);
    const outer = d3.polygonHull(rings);
    const middle = (a, b) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    pen.beginPath();
    pen.moveTo(...middle(outer.at(-1), outer[0]));
    outer.forEach((p, i) => pen.quadraticCurveTo(...p, ...middle(p, outer[(i + 1) % outer.length])));
    pen.closePath();
  }

  // Once a frame, however often it is asked for.
  let asked = false;
  function draw() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; paint(); });
  }

  function paint() {
    const ratio = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    if (!w) return;
    if (canvas.width !== Math.round(w * ratio)) canvas.width = Math.round(w * ratio);
    if (canvas.height !== Math.round(h * ratio)) canvas.height = Math.round(h * ratio);
    if (!touched) fit();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, w, h);
    pen.translate(view.x, view.y);
    pen.scale(view.k, view.k);
    drawHulls();
    drawLinks();
    drawNodes();
    drawLabels(w, h);
  }

  function drawHulls() {
    pen.lineWidth = 1 / view.k;
    for (const level of ["topic", "episode"]) for (const [head, members] of open) {
      if (nodes.get(head)?.level !== level) continue;
      pen.fillStyle = colours["accent-soft"];
      pen.strokeStyle = head === chosen ? colours.accent : colours["accent-faint"];
      pen.globalAlpha = level === "topic" ? 0.45 : 0.75;
      hull(head, members);
      pen.fill();
      pen.globalAlpha = 1;
      pen.stroke();
    }
  }

  // One path for each of a few widths, and below for each look of a node: thousands of paths are slow.
  function drawLinks() {
    pen.strokeStyle = colours["accent-faint"];
    for (const strength of [0, 1, 2]) {
      pen.lineWidth = (0.6 + 0.7 * strength) / Math.max(view.k, 0.6);
      pen.beginPath();
      for (const [head, members] of open) for (const { id, weight } of members) {
        if (Math.min(2, Math.floor(3 * weight)) !== strength) continue;
        const from = nodes.get(head), to = nodes.get(id);
        if (from && to) { pen.moveTo(from.x, from.y); pen.lineTo(to.x, to.y); }
      }
      pen.stroke();
    }
  }

  const ring = (n, r) => { pen.moveTo(n.x + r, n.y); pen.arc(n.x, n.y, r, 0, 2 * Math.PI); };

  function drawNodes() {
    for (const level of ["turn", "fact", "episode", "topic"]) for (const active of [false, true]) {
      const hollow = level === "episode" || level === "turn", strong = level === "topic" || level === "episode";
      pen.beginPath();
      for (const n of nodes.values()) if (n.level === level && (n.status === "active") === active) ring(n, SIZES[level]);
      pen.globalAlpha = active ? 1 : 0.45;
      pen.fillStyle = hollow ? colours.surface : strong ? colours.accent : colours.quiet;
      pen.fill();
      pen.strokeStyle = strong ? colours.accent : colours.quiet;
      pen.lineWidth = strong ? 2.4 : 1.2;
      if (hollow) pen.stroke();
    }
    pen.globalAlpha = 1;
    pen.beginPath();
    for (const n of [nodes.get(chosen), hovered]) if (n) ring(n, SIZES[n.level] + 4);
    pen.strokeStyle = colours.accent;
    pen.lineWidth = 1.6;
    pen.stroke();
  }

  // Labels keep their size on screen; one that would lie on another is left out.
  function drawLabels(w, h) {
    const ratio = devicePixelRatio || 1, taken = [];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.textAlign = "center";
    pen.lineJoin = "round";
    const order = [...nodes.values()].filter((n) => n === hovered || n.id === chosen || n.level === "topic" || SIZES[n.level] * view.k > 5.2)
      .sort((a, b) => (b === hovered) - (a === hovered) || (b.id === chosen) - (a.id === chosen) || SIZES[b.level] - SIZES[a.level]).slice(0, 160);
    for (const n of order) {
      const middle = n.x * view.k + view.x, y = n.y * view.k + view.y + SIZES[n.level] * view.k + 15;
      if (middle < 0 || middle > w || y < 0 || y > h) continue;
      pen.font = `${n.level === "topic" ? 600 : 400} ${n.level === "topic" ? 15 : 13}px "Source Sans 3", sans-serif`;
      const long = n === hovered || n.id === chosen ? 60 : w < 480 ? 16 : n.level === "topic" ? 34 : 26;
      const text = n.text.length > long ? `${n.text.slice(0, long).trimEnd()}…` : n.text;
      const half = pen.measureText(text).width / 2 + 4;
      const x = Math.min(Math.max(middle, half + 4), w - half - 4);
      if (taken.some((t) => Math.abs(t.x - x) < t.half + half && Math.abs(t.y - y) < 17)) continue;
      taken.push({ x, y, half });
      pen.strokeStyle = colours.surface; pen.lineWidth = 4; pen.strokeText(text, x, y);
      pen.fillStyle = n.level === "fact" || n.level === "turn" ? colours.quiet : colours.ink; pen.fillText(text, x, y);
    }
  }

  function fit() {
    const w = canvas.clientWidth, h = canvas.clientHeight, xs = [], ys = [];
    for (const n of nodes.values()) { xs.push(n.x); ys.push(n.y); }
    const span = (v) => v.reduce(([a, b], c) => [Math.min(a, c), Math.max(b, c)], [Infinity, -Infinity]);
    const [x0, x1] = span(xs), [y0, y1] = span(ys);
    const k = Math.min(1.6, (w - 110) / Math.max(1, x1 - x0), (h - 130) / Math.max(1, y1 - y0));
    view = { k: Math.max(0.05, k), x: w / 2 - k * (x0 + x1) / 2, y: h / 2 + 8 - k * (y0 + y1) / 2 };
  }

  // --- pointer --------------------------------------------------------------------

  const at = (event) => {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const n = force.find((x - view.x) / view.k, (y - view.y) / view.k, 16 / view.k + 6);
    return { x, y, node: n && Math.hypot(n.x * view.k + view.x - x, n.y * view.k + view.y - y) < SIZES[n.level] * view.k + 9 ? n : null };
  };
  let grip = null;
  canvas.addEventListener("pointerdown", (event) => {
    const { x, y, node } = at(event);
    grip = { x, y, node, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const { x, y, node } = at(event);
    if (!grip) { if (node !== hovered) { hovered = node; canvas.style.cursor = node ? "pointer" : ""; draw(); } return; }
    if (!grip.moved && Math.hypot(x - grip.x, y - grip.y) < 4) return;
    grip.moved = touched = true;
    if (grip.node) {
      grip.node.fx = (x - view.x) / view.k; grip.node.fy = (y - view.y) / view.k;
      force.alphaTarget(0.15).restart();
    } else {
      view.x += x - grip.x; view.y += y - grip.y;
      grip.x = x; grip.y = y;
      draw();
    }
  });
  canvas.addEventListener("pointerup", () => {
    if (!grip) return;
    const { node, moved } = grip;
    grip = null;
    force.alphaTarget(0);
    if (node) node.fx = node.fy = null;
    if (node && !moved) { choose(node.id); if (node.level === "topic" || node.level === "episode") toggle(node.id); }
  });
  canvas.addEventListener("pointercancel", () => { grip = null; force.alphaTarget(0); });
  canvas.addEventListener("dblclick", (event) => {
    const href = at(event).node?.href;
    if (href) location.href = href;
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { x, y } = at(event), k = Math.min(6, Math.max(0.05, view.k * Math.exp(-event.deltaY / 400)));
    view = { k, x: x - (x - view.x) * k / view.k, y: y - (y - view.y) * k / view.k };
    touched = true;
    draw();
  }, { passive: false });

  root.querySelector("[data-fit]").addEventListener("click", () => { touched = false; draw(); });
  root.querySelector("[data-open-all]").addEventListener("click", () => {
    const closed = [...nodes.values()].filter((n) => !open.has(n.id));
    const topics = closed.filter((n) => n.level === "topic");
    openHeads((topics.length ? topics : closed.filter((n) => n.level === "episode")).map((n) => n.id));
  });
  root.querySelector("[data-close-all]").addEventListener("click", () => {
    for (const head of tops) close(head);
    say("");
  });
  document.addEventListener("theme", () => { readColours(); draw(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); draw(); });
  new ResizeObserver(draw).observe(canvas);

  // --- begin with what the page lists ------------------------------------------------

  const tops = new Set();
  for (const row of root.querySelectorAll(".outline li[data-id]")) {
    const link = row.querySelector("a");
    tops.add(row.dataset.id);
    place({ id: row.dataset.id, level: row.dataset.level, status: row.dataset.status, text: link.textContent, href: link.href });
  }
  readColours();
  settle(1);
})();
