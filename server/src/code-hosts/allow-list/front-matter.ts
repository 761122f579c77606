/**
 * Front matter may name its language. gray-matter, which many site generators use, executes front matter in JavaScript: such
 * a page would run code wherever the pull request is built.
 */
const markdown = /\.(md|mdx|markdown)$/i
const dataLanguages = new Set(['', 'yaml', 'yml', 'toml', 'json'])

export const mayHaveFrontMatter = (path: string): boolean => markdown.test(path)

/** Call it only for files for which `mayHaveFrontMatter` is true. Four hyphens are a thematic break, not front matter. */
export function hasExecutableFrontMatter(page: Buffer): boolean {
  const lineEnd = page.indexOf('\n') // the line may be as long as the page, and contain carriage returns and any whitespace
  const line = page.toString('utf8', 0, lineEnd < 0 ? page.length : lineEnd).replace(/^\ufeff/, '')
  if (!/^---(?!-)/.test(line)) return false
  return !dataLanguages.has(line.slice(3).trim().toLowerCase())
}
