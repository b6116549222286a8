// The host's colours and fonts. Without a host, the reader's own choice of light or dark holds.

/** The host's token → the page's property, and the CSS property whose values it takes. */
const TOKENS: Record<string, { name: string; kind: string }> = {
  surface: { name: "--surface", kind: "color" },
  card: { name: "--card", kind: "color" },
  elevated: { name: "--elevated", kind: "color" },
  text: { name: "--text", kind: "color" },
  "text-strong": { name: "--text-strong", kind: "color" },
  muted: { name: "--muted", kind: "color" },
  border: { name: "--border", kind: "color" },
  "border-strong": { name: "--border-strong", kind: "color" },
  accent: { name: "--accent", kind: "color" },
  "accent-fill": { name: "--accent-fill", kind: "color" },
  "accent-fg": { name: "--accent-fg", kind: "color" },
  ok: { name: "--ok", kind: "color" },
  warn: { name: "--warn", kind: "color" },
  danger: { name: "--danger", kind: "color" },
  info: { name: "--info", kind: "color" },
  radius: { name: "--radius", kind: "border-radius" },
  "font-body": { name: "--font-body", kind: "font-family" },
  "font-mono": { name: "--font-mono", kind: "font-family" },
};

/** Takes over the theme that the window around this one sends, now and whenever it changes. */
export function followHostTheme(): void {
  if (window.parent === window) return;
  window.addEventListener("message", (message) => {
    if (message.source === window.parent) apply(message.data);
  });
}

function apply(data: unknown): void {
  if (typeof data !== "object" || data === null) return;
  const { type, mode, tokens } = data as { type?: unknown; mode?: unknown; tokens?: unknown };
  if (type !== "openclaw:widget-theme") return;
  const root = document.documentElement;
  if (mode === "light" || mode === "dark") root.dataset.theme = mode;
  if (typeof tokens !== "object" || tokens === null) return;
  for (const [token, { name, kind }] of Object.entries(TOKENS)) {
    const value = (tokens as Record<string, unknown>)[token];
    if (typeof value === "string" && isHarmless(value) && CSS.supports(kind, value)) root.style.setProperty(name, value);
    else root.style.removeProperty(name);
  }
}

/** No value may load anything, nor lean on what this page does not have. */
function isHarmless(value: string): boolean {
  return value.length <= 300 && !/url|image|var|env|attr|[;{}]/i.test(value);
}
