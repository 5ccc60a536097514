// What scrolls sideways can be reached and scrolled by keyboard, whenever it does: tables, code and formulas.
const watch = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
document.querySelectorAll(".table-wrapper, pre, .formula, .cell_output .output").forEach((each) => watch.observe(each));
// The theme calls the captions of its list of pages headings without their level, and names what is folded otherwise.
document.querySelectorAll('[role="heading"]:not([aria-level])').forEach((each) => each.setAttribute("aria-level", "2"));
document.querySelectorAll("summary[aria-label]").forEach((each) => each.removeAttribute("aria-label"));
