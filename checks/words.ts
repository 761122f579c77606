/**
 * npm run check:words: finds the words that docs/contributing/glossary.md rules out, in documentation, comments, messages,
 * the dashboard, the API description and identifiers.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import {
  allowedIdentifiers,
  allowedTexts,
  type BannedWordException,
  bannedIdentifiers,
  bannedWords,
} from './banned-words.ts'

export interface BannedWordHit {
  file: string
  line: number
  found: string
  use: string
}

/** Text that people read, with the line that it starts on. */
interface Passage {
  text: string
  line: number
}

const root = join(import.meta.dirname, '..')

/** These files name the words in order to rule them out. */
const exempt = new Set([
  'docs/contributing/glossary.md',
  'checks/banned-words.ts',
  'checks/words.ts',
  'checks/words.test.ts',
])
const generated = /^(package-lock\.json|LICENSE|sdk\/src\/generated\/|server\/src\/workflows\/histories\/)/

export function findBannedWords(files: readonly string[], read: (file: string) => string): BannedWordHit[] {
  return files
    .filter((file) => !exempt.has(file) && !generated.test(file))
    .flatMap((file) => {
      const source = read(file)
      if (/\.(ts|tsx|mjs|js)$/.test(file)) return hitsInCode(file, source)
      if (file === 'sdk/openapi.json') return hitsInPassages(file, descriptionsIn(source))
      if (file.endsWith('.md')) return hitsInPassages(file, proseOf(source))
      if (/\.(sql|css|html|xml|sh|ya?ml|grit)$|(^|\/)(setup|run|Dockerfile)$/.test(file)) {
        return hitsInPassages(file, linesOf(source))
      }
      return []
    })
}

const linesOf = (source: string): Passage[] => source.split('\n').map((text, index) => ({ text, line: index + 1 }))

const withoutCodeSpans = (text: string) => text.replaceAll(/`[^`]*`/g, '``')

/** Without code: names there belong to other rules, and commands to other programs. */
function proseOf(markdown: string): Passage[] {
  let isInFence = false
  return linesOf(markdown).flatMap(({ text, line }) => {
    if (text.trimStart().startsWith('```')) {
      isInFence = !isInFence
      return []
    }
    return isInFence ? [] : [{ text: withoutCodeSpans(text).replaceAll(/\]\([^)]*\)/g, ']'), line }]
  })
}

function descriptionsIn(openapi: string): Passage[] {
  return linesOf(openapi).flatMap(({ text, line }) => {
    const [, value] = /^\s*"(?:description|summary|title)": (".*?"),?$/.exec(text) ?? []
    return value === undefined ? [] : [{ text: withoutCodeSpans(JSON.parse(value) as string), line }]
  })
}

function hitsInCode(file: string, source: string): BannedWordHit[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, kind)
  const lineOf = (position: number) => tree.getLineAndCharacterOfPosition(position).line + 1
  const passages: Passage[] = []
  const identifiers = new Map<string, number>()
  const commentStarts = new Set<number>() // several nodes can share a comment
  const visit = (node: ts.Node) => {
    const comments = [
      ...(ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(source, node.getEnd()) ?? []),
    ]
    for (const { pos, end } of comments) {
      if (commentStarts.has(pos)) continue
      commentStarts.add(pos)
      passages.push({ text: withoutCodeSpans(source.slice(pos, end)), line: lineOf(pos) })
    }
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      if (!identifiers.has(node.text)) identifiers.set(node.text, lineOf(node.getStart()))
    } else if (ts.isStringLiteralLike(node) || ts.isJsxText(node) || isTemplatePiece(node)) {
      passages.push({ text: node.text, line: lineOf(node.getStart()) })
    }
    // Not `forEachChild`: punctuation can have comments too.
    for (const child of node.getChildren(tree)) visit(child)
  }
  visit(tree)
  return [
    ...hitsInPassages(file, passages),
    ...[...identifiers].flatMap(([name, line]) => {
      const banned = bannedIdentifiers.find(({ pattern }) => pattern.test(name))
      const isAllowed = exceptionsIn(file, allowedIdentifiers).some(({ pattern }) => pattern.test(name))
      return banned && !isAllowed ? [{ file, line, found: name, use: banned.use }] : []
    }),
  ]
}

const isTemplatePiece = (node: ts.Node): node is ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail =>
  ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)

function hitsInPassages(file: string, passages: readonly Passage[]): BannedWordHit[] {
  const exceptions = exceptionsIn(file, allowedTexts)
  return passages.flatMap(({ text, line }) => {
    const allowed = exceptions.flatMap(({ pattern }) => rangesOf(pattern, text))
    return bannedWords.flatMap(({ pattern, use }) =>
      rangesOf(pattern, text)
        .filter(({ start, end }) => !allowed.some((range) => start < range.end && range.start < end))
        .map(({ start, end }) => ({
          file,
          line: line + (text.slice(0, start).match(/\n/g)?.length ?? 0),
          found: text.slice(start, end),
          use,
        })),
    )
  })
}

const exceptionsIn = (file: string, exceptions: readonly BannedWordException[]) =>
  exceptions.filter(({ files }) => files === undefined || files.some((path) => file.startsWith(path)))

const rangesOf = (pattern: RegExp, text: string) =>
  [...text.matchAll(new RegExp(pattern, 'giu'))].map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
  }))

if (import.meta.main) {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter((file) => existsSync(join(root, file)))
  const hits = findBannedWords(files, (file) => readFileSync(join(root, file), 'utf8'))
  for (const { file, line, found, use } of hits) console.log(`${file}:${line}: "${found}": use ${use}`)
  console.log(`${hits.length} words that we do not use (docs/contributing/glossary.md)`)
  process.exitCode = hits.length === 0 ? 0 : 1
}
