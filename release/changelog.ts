const upgradeNotesHeading = '### Upgrade notes'

/**
 * Returns the section of a version, without its heading. Throws if there is none, or nothing in it, or if it does not begin with what an
 * upgrade means for operators.
 */
export function releaseNotes(changelog: string, version: string): string {
  const lines = changelog.split('\n')
  const start = lines.findIndex((line) => line === `## ${version}` || line.startsWith(`## ${version} `))
  if (start === -1) throw new Error(`CHANGELOG.md has no section "## ${version}".`)
  const end = lines.findIndex((line, index) => index > start && line.startsWith('## '))
  const section = lines.slice(start + 1, end === -1 ? undefined : end)
  if (!section.some((line) => line.trim() !== '' && !line.startsWith('#')))
    throw new Error(`The section "## ${version}" of CHANGELOG.md is empty.`)
  if (section.find((line) => line.trim() !== '') !== upgradeNotesHeading)
    throw new Error(`The section "## ${version}" of CHANGELOG.md must begin with "${upgradeNotesHeading}".`)
  return `${section.join('\n').trim()}\n`
}
