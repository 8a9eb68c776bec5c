// What the page does: draw the charts in the reader's theme, and show the policy that is chosen.
const picture = JSON.parse(document.getElementById("picture").textContent);
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const choose = document.getElementById("policy");

function draw(place, spec) {
  const theme = dark.matches ? "dark" : "light";
  const options = { actions: false, renderer: "svg", tooltip: { theme } };
  vegaEmbed("#" + place, { ...spec, config: picture.config[theme] }, options);
}

function money(dollars) {
  if (Math.abs(dollars) < 5e-5) return "$0";
  const digits = Math.abs(dollars) >= 0.1 ? 2 : 4;
  return "$" + dollars.toFixed(digits);
}

function cell(row, text, name) {
  const made = document.createElement(name);
  made.textContent = text;
  row.appendChild(made);
}

function timeline(policy) {
  const rows = picture.timeline.filter((one) => one.policy === policy);
  document.getElementById("named").textContent = rows.length ? "Why " + policy + " decided when it did" : "";
  const table = document.createElement("table");
  const head = table.insertRow();
  if (rows.length) ["requests", "freed", "cost", "saved since", "why"].forEach((one) => cell(head, one, "th"));
  for (const one of rows) {
    const row = table.insertRow();
    if (!one.heavy) row.className = "waits";
    const figures = one.edits ? [one.freed.toLocaleString("en"), money(one.cost), money(one.saved)] : ["", "", ""];
    [one.requests, ...figures, one.why].forEach((text) => cell(row, text, "td"));
  }
  document.getElementById("timeline").replaceChildren(table);
}

function chosen() {
  if (!(choose.value in picture.after)) return;
  draw("after", picture.after[choose.value]);
  timeline(choose.value);
}

function all() {
  for (const place of ["before", "bills", "trade"]) draw(place, picture[place]);
  chosen();
}

choose.addEventListener("change", chosen);
dark.addEventListener("change", all);
all();
