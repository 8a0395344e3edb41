/** @returns the day of a release by the heading of its section, such as `## 1.0.0, 2026-12-01`; undefined before it is released */
export function dateOf(changelog: string, version: string): string | undefined {
  const [, date] = headingOf(changelog, version)?.match(/, (\d{4}-\d{2}-\d{2})$/) ?? [];
  return date;
}

/** @returns the section of a release without its heading */
export function notesOf(changelog: string, version: string): string {
  const heading = headingOf(changelog, version);
  if (heading === undefined) throw new Error(`CHANGELOG.md has no section for ${version}`);
  const rest = changelog.slice(changelog.indexOf(heading) + heading.length);
  return `${rest.split(/^## /m)[0]?.trim() ?? ''}\n`;
}

function headingOf(changelog: string, version: string): string | undefined {
  return changelog.split('\n').find((line) => line === `## ${version}` || line.startsWith(`## ${version}, `));
}
