/** Parses reStructuredText: its syntax with docutils, if the runner has it, and the links of Sphinx. */
import { checkWithDocutils } from './docutils.ts'
import { type Link, lineAt, type ParsedPage } from './parsed-page.ts'

export async function parseRestructuredText(_path: string, text: string): Promise<ParsedPage> {
  return {
    frontMatterError: undefined, // Sphinx has field lists instead
    syntax: await checkWithDocutils(text),
    links: [...findReferences(text), ...findDirectives(text), ...findToctreeEntries(text)],
    anchors: undefined, // labels can be defined anywhere in the project
  }
}

/** `:doc:` with a target, or with a title and a target. */
const findReferences = (text: string): Link[] =>
  [...text.matchAll(/:doc:`(?:[^`<]*<([^`>]+)>|([^`<]+))`/g)].map((match) => ({
    target: (match[1] ?? match[2] ?? '').trim(),
    line: lineAt(text, match.index),
    rule: 'sphinx-document',
  }))

const findDirectives = (text: string): Link[] =>
  [...text.matchAll(/^[^\S\n]*\.\. (?:\|[^|\n]+\| )?(?:image|figure)::[^\S\n]*(\S+)/gm)].map((match) => ({
    target: match[1] ?? '',
    line: lineAt(text, match.index),
    rule: 'sphinx-file',
  }))

function findToctreeEntries(text: string): Link[] {
  const links: Link[] = []
  for (const match of text.matchAll(/^([^\S\n]*)\.\. toctree::[^\n]*\n((?:\1[^\S\n]+[^\n]*\n?|[^\S\n]*\n)*)/gm)) {
    const [whole, , block = ''] = match
    if (/^\s*:glob:/m.test(block)) continue
    const firstLine = lineAt(text, match.index + whole.length - block.length)
    for (const [index, line] of block.split('\n').entries()) {
      const entry = line.trim()
      if (entry === '' || entry.startsWith(':') || entry === 'self') continue
      const target = /<([^>]+)>$/.exec(entry)?.[1] ?? entry
      links.push({ target, line: firstLine + index, rule: 'sphinx-document' })
    }
  }
  return links
}
