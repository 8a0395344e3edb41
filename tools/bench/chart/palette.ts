/** Colours of GitHub's light and dark theme. No two light ones are equal, because `darkStyle` recognizes them. */
const PALETTE = {
  background: { light: '#ffffff', dark: '#0d1117' },
  text: { light: '#1f2328', dark: '#f0f6fc' },
  muted: { light: '#59636e', dark: '#9198a1' },
  line: { light: '#d1d9e0', dark: '#3d444d' },
  spread: { light: '#818b98', dark: '#656c76' },
  band: { light: '#dafbe1', dark: '#12351f' },
  reached: { light: '#1a7f37', dark: '#3fb950' },
  missed: { light: '#bc4c00', dark: '#f0883e' },
} as const;

type ColorName = keyof typeof PALETTE;

/** The colours of the light theme. A viewer without CSS shows these. */
export const COLOR = Object.fromEntries(Object.entries(PALETTE).map(([name, { light }]) => [name, light])) as Record<ColorName, string>;

/** @returns the chart with a style that replaces its colours where the page, or the system, has a dark theme */
export function withDarkTheme(svg: string): string {
  const rules = Object.values(PALETTE).map(
    ({ light, dark }) => `[fill="${light}"] { fill: ${dark} } [stroke="${light}"] { stroke: ${dark} }`,
  );
  return svg.replace(/^<svg[^>]*>/, (start) => `${start}\n<style>@media (prefers-color-scheme: dark) {\n${rules.join('\n')}\n}</style>\n`);
}
