import { faviconPath, mark } from '../../http/reference/brand.ts';
import type { Level } from '../components.ts';
import type { Incident } from '../record.ts';
import type { ReportedComponent, ReportedDay, StatusReport } from '../report.ts';
import { style } from './style.ts';
import { componentNames, dayText, durationText, instantText, levelNames } from './words.ts';

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');
}

/** Each has a shape of its own: colour alone would not tell them apart. */
const shapes: Readonly<Record<Level, string>> = {
  operational: '<circle cx="6" cy="6" r="5.5" fill="currentColor"/>',
  maintenance: '<circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" stroke-width="2.5"/>',
  degraded: '<path d="M6 .5 11.8 11.5H.2z" fill="currentColor"/>',
  outage: '<rect x=".5" y=".5" width="11" height="11" rx="1.5" fill="currentColor"/>',
};

function levelMark(level: Level): string {
  return `<svg class="${level}" viewBox="0 0 12 12" aria-hidden="true">${shapes[level]}</svg>`;
}

function levelWord(level: Level): string {
  return `<span class="level ${level}">${levelMark(level)}${levelNames[level]}</span>`;
}

function headlineOf({ level, components }: StatusReport): string {
  if (level === 'operational') return 'All systems operational';
  const names = components.filter((one) => one.level === level).map(({ component }) => componentNames[component].name);
  return `${levelNames[level]}: ${names.join(', ')}`;
}

/** What went wrong on a day, the worst first; empty where nothing did. */
function problemsOf({ minutes }: ReportedDay): string {
  const { outage = 0, degraded = 0, maintenance = 0 } = minutes ?? {};
  return [
    ...(outage > 0 ? [`${durationText(outage)} outage`] : []),
    ...(degraded > 0 ? [`${durationText(degraded)} degraded`] : []),
    ...(maintenance > 0 ? [`${durationText(maintenance)} maintenance`] : []),
  ].join(', ');
}

const bar = { width: 5.5, step: 8, height: 32, least: 7 };

/** A day that went well is a plain bar. A problem fills as much of it as it lasted, and never too little to be seen. */
function dayBar(day: ReportedDay, index: number): { kind: 'none' | 'well'; top: number; problem: string } {
  const { minutes } = day;
  if (minutes === null || minutes.minutes === 0) return { kind: 'none', top: bar.height - 3, problem: '' };
  const levels = [
    ['outage', minutes.outage],
    ['degraded', minutes.degraded],
    ['maintenance', minutes.maintenance],
  ] as const;
  const worst = levels.find(([, lasted]) => lasted > 0);
  if (worst === undefined) return { kind: 'well', top: 0, problem: '' };
  const [level, lasted] = worst;
  const height = Math.max(bar.least, Math.round((lasted / minutes.minutes) * bar.height));
  const title = `<title>${dayText(day.day)}: ${problemsOf(day)}</title>`;
  const problem = `<rect class="${level}" x="${index * bar.step}" y="${bar.height - height}" width="${bar.width}" height="${height}">${title}</rect>`;
  return { kind: 'well', top: 0, problem };
}

function bars({ component, days, uptime }: ReportedComponent): string {
  const drawn = days.map(dayBar);
  const pathOf = (kind: 'none' | 'well'): string =>
    drawn
      .map((one, index) =>
        one.kind === kind ? `M${index * bar.step} ${one.top}h${bar.width}v${bar.height - one.top}h-${bar.width}z` : '',
      )
      .join('');
  const width = (days.length - 1) * bar.step + bar.width;
  const label = `${componentNames[component].name}, last ${days.length} days: ${uptime === null ? 'nothing recorded' : `${uptime}% uptime`}`;
  return `<svg class="bars" viewBox="0 0 ${width} ${bar.height}" preserveAspectRatio="none" role="img" aria-label="${label}"><path class="none" d="${pathOf('none')}"/><path class="well" d="${pathOf('well')}"/>${drawn.map(({ problem }) => problem).join('')}</svg>`;
}

function problemDays({ days }: ReportedComponent): string {
  const problems = days.filter((day) => problemsOf(day) !== '').toReversed();
  if (problems.length === 0) return '';
  const rows = problems.map((day) => `<li><b>${dayText(day.day)}</b><span>${problemsOf(day)}</span></li>`);
  return `<details><summary>Days with problems: ${problems.length}</summary><ul class="days">${rows.join('')}</ul></details>`;
}

function componentRow(one: ReportedComponent): string {
  const { name, about } = componentNames[one.component];
  const note = one.note === null ? '' : `<p class="note">${one.note}</p>`;
  const uptime = one.uptime === null ? 'No data' : `${one.uptime}% uptime`;
  return `<li><div class="head"><h3>${name}</h3><span class="about quiet">${about}</span>${levelWord(one.level)}</div>${note}
${bars(one)}
<div class="scale quiet"><span>${one.days.length} days ago</span><span>${uptime}</span><span>Today</span></div>${problemDays(one)}</li>`;
}

function incidentArticle({ title, impact, components, updates, ...times }: Incident): string {
  const openedAt = new Date(times.opened_at);
  const resolvedAt = times.resolved_at === null ? null : new Date(times.resolved_at);
  const lasted =
    resolvedAt === null ? 0 : Math.max(1, Math.round((resolvedAt.getTime() - openedAt.getTime()) / 60_000));
  const time = resolvedAt === null ? 'Not resolved yet' : `Resolved after ${durationText(lasted)}`;
  const names = components.map((component) => componentNames[component].name).join(', ');
  const list = updates.map(
    ({ at, text }) =>
      `<li><time class="quiet" datetime="${new Date(at).toISOString()}">${instantText(new Date(at))}</time><p>${escaped(text)}</p></li>`,
  );
  return `<article class="incident"><h3>${escaped(title)}</h3><p class="meta quiet">${levelWord(impact)}<span>${names}</span><span>${time}</span></p><ol class="updates">${list.join('')}</ol></article>`;
}

function staleText({ isCurrent, readAt }: StatusReport): string {
  if (isCurrent) return '';
  const since =
    readAt === null
      ? 'History and incidents are not available at the moment.'
      : `History and incidents on this page are from ${instantText(readAt)}.`;
  return `<p class="stale">Our database does not save changes at the moment. No money moves twice, and nothing that was confirmed is lost. ${since}</p>`;
}

function incidents({ open, past, readAt }: StatusReport): { open: string; past: string } {
  const none = readAt === null ? 'Not available at the moment.' : 'No incidents in the last 90 days.';
  return {
    open: open.length === 0 ? '' : `<section><h2>Open incidents</h2>${open.map(incidentArticle).join('')}</section>`,
    past: `<section><h2>Past incidents</h2>${past.length === 0 ? `<p class="empty">${none}</p>` : past.map(incidentArticle).join('')}</section>`,
  };
}

/** A whole page without a script. It must be right also where nothing but this process works. */
export function renderPage(report: StatusReport, { at, supportEmail }: { at: Date; supportEmail: string }): string {
  const headline = headlineOf(report);
  const listed = incidents(report);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${headline} · Kelpie status</title><link rel="icon" href="${faviconPath}" type="image/svg+xml">
<style>${style}</style></head><body>
<header><svg viewBox="0 0 32 32" aria-hidden="true"><path d="${mark}" fill="none" stroke="currentColor" stroke-width="2.8" stroke-linecap="round" stroke-linejoin="round"/></svg>Kelpie status</header>
<main><h1>${levelMark(report.level)}${headline}</h1>
<p class="updated quiet">Checked <time datetime="${at.toISOString()}">${instantText(at)}</time></p>
${staleText(report)}
${listed.open}
<section><h2>Components</h2><ol class="components">${report.components.map(componentRow).join('')}</ol></section>
${listed.past}</main>
<footer class="quiet"><p>Uptime is the share of minutes without an outage. Days and times are in UTC.</p>
<nav aria-label="More"><a href="/status.json">This page as JSON</a><a href="/docs">Docs</a><a href="mailto:${escaped(supportEmail)}">${escaped(supportEmail)}</a></nav></footer>
</body></html>
`;
}
