import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

// How the reference page looks: the type, the colours and the mark of the dashboard. The status page uses the same.

/** A path in a square of 32. */
export const mark =
  'M3.5 23c4.9 0 6.3-3.9 8.3-8.5C13.9 9.700 16.500 5.500 21 5.500c3.500 0 6 2.500 6 5.300 0 2.200-1.700 3.700-3.800 3.700-3 0-5.200 2.300-5.200 5.300 0 2.700 2.200 4.700 5.200 4.700 2.200 0 4-.7 5.500-1.700';

const stroke = (color: string): string =>
  `<path d="${mark}" fill="none" stroke="${color}" stroke-width="2.8" stroke-linecap="round" stroke-linejoin="round"/>`;

const svg = (content: string): string => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${content}</svg>`;

/** An image in the page's style: it needs no request of its own. */
const asUrl = (color: string): string => `url("data:image/svg+xml,${encodeURIComponent(svg(stroke(color)))}")`;

export const palettes = {
  light: {
    ground: '#f7f9f8',
    surface: '#ffffff',
    sunken: '#eef2f1',
    ink: '#0b1f24',
    muted: '#4d6066',
    line: '#dde4e2',
    tide: '#0f6e6e',
    tideHover: '#0b5a5a',
    onTide: '#ffffff',
    wash: '#e3f0ef',
    green: '#18703f',
    red: '#b42318',
    amber: '#8a5206',
    blue: '#1d5fbf',
  },
  dark: {
    ground: '#0b1518',
    surface: '#101c20',
    sunken: '#16252a',
    ink: '#dfe8e6',
    muted: '#97aaab',
    line: '#213136',
    tide: '#4fb3ae',
    tideHover: '#66c2bd',
    onTide: '#05201f',
    wash: '#12302f',
    green: '#6fcf97',
    red: '#ff9489',
    amber: '#e8b44c',
    blue: '#85b6ff',
  },
} as const;

function colours(mode: keyof typeof palettes): string {
  const colour = palettes[mode];
  return `.${mode}-mode {
  --scalar-background-1: ${colour.ground};
  --scalar-background-2: ${colour.surface};
  --scalar-background-3: ${colour.sunken};
  --scalar-background-accent: ${colour.wash};
  --scalar-color-1: ${colour.ink};
  --scalar-color-2: ${colour.muted};
  --scalar-color-3: ${colour.muted};
  --scalar-color-accent: ${colour.tide};
  --scalar-link-color: ${colour.tide};
  --scalar-link-color-hover: ${colour.tideHover};
  --scalar-border-color: ${colour.line};
  --scalar-button-1: ${colour.tide};
  --scalar-button-1-hover: ${colour.tideHover};
  --scalar-button-1-color: ${colour.onTide};
  --scalar-color-green: ${colour.green};
  --scalar-color-red: ${colour.red};
  --scalar-color-yellow: ${colour.amber};
  --scalar-color-orange: ${colour.amber};
  --scalar-color-blue: ${colour.blue};
  --scalar-color-purple: ${colour.tide};
  --scalar-sidebar-background-1: ${colour.surface};
  --scalar-sidebar-item-active-background: ${colour.wash};
  --scalar-sidebar-color-active: ${colour.tide};
  --kelpie-mark: ${asUrl(colour.tide)};
}`;
}

export const interFace = `@font-face { font-family: 'Inter'; src: url('/docs/fonts/inter.woff2') format('woff2'); font-weight: 100 900; font-display: swap; }`;

/** Hairlines instead of boxes, and the mark with the name on top of the navigation. */
export const brandCss = `
${interFace}
@font-face { font-family: 'JetBrains Mono'; src: url('/docs/fonts/jetbrains-mono.woff2') format('woff2'); font-weight: 100 800; font-display: swap; }
${colours('light')}
${colours('dark')}
.light-mode, .dark-mode {
  --scalar-font: 'Inter', ui-sans-serif, system-ui, sans-serif;
  --scalar-font-code: 'JetBrains Mono', ui-monospace, monospace;
  --scalar-radius: 4px;
}
.t-doc__sidebar::before {
  content: 'Kelpie';
  display: block;
  padding: 18px 16px 10px 52px;
  background: var(--kelpie-mark) 18px 16px / 26px no-repeat;
  color: var(--scalar-color-1);
  font: 600 17px/24px var(--scalar-font);
  letter-spacing: -0.01em;
}
a[href^='https://www.scalar.com'] { display: none; }
`;

/** Where they are served, for the docs, the reference and the status page. */
export const fontFolder = '/docs/fonts';
export const faviconPath = '/docs/favicon.svg';
export const favicon = svg(`<rect width="32" height="32" rx="8" fill="${palettes.light.tide}"/>${stroke('#f7f9f8')}`);

const require = createRequire(import.meta.url);

/** The typefaces, by the name that the style gives their files. Read at the start, as all that a release can replace. */
export const brandFonts: Readonly<Record<string, Buffer>> = {
  inter: readFileSync(require.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')),
  'jetbrains-mono': readFileSync(
    require.resolve('@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2'),
  ),
};
