// The part of the setup link after "#" never leaves the browser on its own: it is put into the form.
(() => {
  const field = document.getElementById("link");
  if (field && location.hash.length > 1) {
    field.value = decodeURIComponent(location.hash.slice(1));
    history.replaceState(null, "", location.pathname);
  }
})();
