/**
 * Front matter may say which language it is in, and gray-matter, which many site generators read pages with, runs the one
 * that is called JavaScript: a page would run where the pull request is built.
 */
const markdown = /\.(md|mdx|markdown)$/i
const dataLanguages = new Set(['', 'yaml', 'yml', 'toml', 'json'])

export const mayHaveFrontMatter = (path: string): boolean => markdown.test(path)

/** Of a page that may have front matter. Four hyphens are a line across the page. */
export function hasCodeInFront(page: Buffer): boolean {
  const lineEnd = page.indexOf('\n') // the line may be as long as the page, and hold returns and any space
  const line = page.toString('utf8', 0, lineEnd < 0 ? page.length : lineEnd).replace(/^\ufeff/, '')
  if (!/^---(?!-)/.test(line)) return false
  return !dataLanguages.has(line.slice(3).trim().toLowerCase())
}
