/** The first that matches counts: most browsers also name others. */
const families: readonly (readonly [family: string, form: RegExp])[] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Other', /\b(OPR|Opera|SamsungBrowser|YaBrowser|Vivaldi)\b/],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ['Safari', /\bVersion\/\S+ .*\bSafari\//],
  ['curl', /^curl\//],
];

const systems: readonly (readonly [system: string, form: RegExp])[] = [
  ['iOS', /\b(iPhone|iPad|iPod)\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac(intosh| OS X)\b/],
  ['Linux', /\b(Linux|X11)\b/],
];

/** Longer ones are nobody's browser. */
const longestRead = 500;

function firstOf(names: readonly (readonly [string, RegExp])[], text: string): string | undefined {
  return names.find(([, form]) => form.test(text))?.[0];
}

/**
 * What people recognise a browser by: "Firefox on Windows". Its version is left out: it would tell one person from another,
 * and changes every month.
 */
export function browserFamily(userAgent: string | undefined): string | null {
  if (userAgent === undefined || userAgent.trim() === '') return null;
  const read = userAgent.slice(0, longestRead);
  const family = firstOf(families, read) ?? 'Other';
  const system = firstOf(systems, read);
  return system === undefined ? family : `${family} on ${system}`;
}
