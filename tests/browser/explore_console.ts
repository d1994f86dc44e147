// What holds of every page of the console, whoever clicks where: bombadil explores it
// by this (explore_console.py).

import { always } from "@antithesishq/bombadil";
import { actions, extract, getFingerprint, weighted } from "@antithesishq/bombadil/browser";
import { back, inputs, reload, scroll } from "@antithesishq/bombadil/browser/defaults/actions";

export { noUncaughtExceptions, noUnhandledPromiseRejections } from "@antithesishq/bombadil/browser/defaults/properties";

const status = extract((state) => {
  const first = state.window.performance.getEntriesByType("navigation")[0];
  return first && first instanceof PerformanceNavigationTiming ? first.responseStatus : null;
});

// What is refused is 4xx and a page; the server's own faults are 5xx.
export const no_page_fails = always(() => (status.current ?? 0) < 500);

// Of a page that is still being loaded nothing is said, nor of the browser's own: it
// asks before it sends a form again, when somebody goes back to what a form was refused with.
const heading = extract((state) =>
  state.document.readyState === "complete" && state.window.location.protocol === "http:" ? (state.document.querySelector("h1")?.textContent ?? "") : null,
);

export const every_page_has_a_heading = always(() => heading.current === null || heading.current.trim() !== "");

const scripts = extract((state) =>
  state.window.location.protocol === "http:" ? state.document.querySelectorAll("script").length : 0,
);

export const no_page_has_a_script = always(() => scripts.current === 0);

// Everything of this site that can be clicked, but for the end of the session.
const targets = extract((state) => {
  const found = [];
  for (const element of state.document.querySelectorAll("a[href^='/'], button, input:not([type=hidden]), select")) {
    if ((element.textContent ?? "").includes("Sign out")) continue;
    const box = element.getBoundingClientRect();
    const point = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    const inside = point.x >= 0 && point.y >= 0 && point.x < state.window.innerWidth && point.y < state.window.innerHeight;
    if (box.width > 0 && box.height > 0 && inside) found.push({ fingerprint: getFingerprint(element), point });
  }
  return found;
});

const clicks = actions(() => targets.current.map(({ fingerprint, point }) => ({ Click: { fingerprint, point } })));

export const operator = weighted([
  [20, clicks],
  [10, inputs],
  [4, scroll],
  [2, back],
  [1, reload],
]);
