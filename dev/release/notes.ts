/** What the changelog says of a version: the text below its heading. */
function sectionOf(changelog: string, heading: string): string | undefined {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.startsWith(`[${heading}]`));
  return section?.slice(section.indexOf('\n') + 1).trim();
}

/** The release notes. Undefined if the changelog has nothing about the version; a trial has what is not released yet. */
export function cutNotes(
  changelog: string,
  { version, isTrial }: { version: string; isTrial: boolean },
): string | undefined {
  const section = sectionOf(changelog, isTrial ? 'Unreleased' : version);
  return section && `# Kelpie ${version}\n\n${section}\n`;
}
