// The rules and routes of production with every duration divided, so that a trial takes minutes instead of hours.

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function divide(duration: string, factor: number): string {
  const [, number, unit = ''] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  const ms = Number(number) * (unitMs[unit] ?? Number.NaN);
  if (!Number.isFinite(ms)) throw new Error(`${duration} is no duration`);
  return `${Math.round(ms / factor)}ms`;
}

/** Divides how long each alert waits, its windows, and the ages in seconds with which it compares. Shares and sizes stay. */
export function scaleRules(rules: string, factor: number): string {
  return rules
    .replaceAll(/(\bfor: )(\d+[smhd])\b/g, (_, before: string, duration: string) => before + divide(duration, factor))
    .replaceAll(/\[(\d+[smhd])\]/g, (_, duration: string) => `[${divide(duration, factor)}]`)
    .replaceAll(
      /([<>] )(26 \* 3600|\d{2,6})(?![\d.])/g,
      (_, sign: string, seconds: string) => `${sign}${seconds} / ${factor}`,
    );
}

/** The same for what Alertmanager waits. */
export function scaleRoutes(config: string, factor: number): string {
  return config.replaceAll(
    /(\b(?:group_wait|group_interval|repeat_interval): )([1-9]\d*[smhd])\b/g,
    (_, before: string, duration: string) => before + divide(duration, factor),
  );
}
