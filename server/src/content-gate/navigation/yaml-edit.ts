/** Edits of YAML. Outside of the navigation the bytes must be the same: formats and tags differ from parser to parser. */
import { isAlias, isMap, isPair, isScalar, isSeq, type Node, type Pair, parseAllDocuments, type YAMLMap } from 'yaml'
import type { NavigationFile } from '../../site-generators/site-generator.ts'
import { type EditOutcome, editProblem, type NavigationEdit, type NavigationStrings } from './edit-outcome.ts'

interface YamlPlace {
  /** The value of the navigation. */
  node: Node | null
  /** The text up to the end of the key, and the text after the value. */
  textBefore: string
  textAfter: string
}

export function findYamlEditProblem({ before, after }: NavigationEdit, part: NavigationFile['part']): EditOutcome {
  const afterRoot = parseOne(after)
  if (typeof afterRoot === 'string') return editProblem(afterRoot)
  if (part === 'whole') {
    const beforeRoot = before === undefined ? null : parseOne(before)
    const problem = findProblem(after, afterRoot)
    if (problem) return problem
    return { strings: stringsOf(after, typeof beforeRoot === 'string' ? null : beforeRoot, afterRoot) }
  }
  if (before === undefined) return editProblem('configuration must not be added')
  const beforeRoot = parseOne(before)
  if (typeof beforeRoot === 'string')
    return editProblem('the file was not valid before, so the change cannot be checked')
  for (const { keys } of part) {
    const beforePlace = findPlace(before, beforeRoot, keys)
    const afterPlace = findPlace(after, afterRoot, keys)
    if (!beforePlace || !afterPlace) continue
    if (beforePlace.textBefore !== afterPlace.textBefore || beforePlace.textAfter !== afterPlace.textAfter) continue
    return findProblem(after, afterPlace.node) ?? { strings: stringsOf(after, beforePlace.node, afterPlace.node) }
  }
  return editProblem(`only ${part.map(({ keys }) => `\`${keys.join('.')}\``).join(' and ')} may change in this file`)
}

/** A text says what is wrong. */
function parseOne(source: string): Node | null | string {
  const documents = parseAllDocuments(source, { logLevel: 'silent', keepSourceTokens: true })
  if (documents.length === 0) return null // the file is empty, or has only comments
  const [document, ...others] = documents
  if (!document || others.length > 0) return 'it must be one YAML document'
  const [error] = document.errors
  if (error) return error.message.split('\n')[0]?.replace(/:$/, '') ?? 'it is not valid YAML'
  return document.contents as Node | null
}

function findPlace(source: string, root: Node | null, keys: readonly string[]): YamlPlace | undefined {
  let node: Node | null = root
  let pair: Pair | undefined
  for (const key of keys) {
    if (!isMap(node) || node.flow) return undefined
    pair = pairOf(node, key)
    if (!pair) return undefined
    node = pair.value as Node | null
  }
  const keyEnd = (pair?.key as Node | undefined)?.range?.[1]
  const valueEnd = node?.range?.[2]
  if (keyEnd === undefined || valueEnd === undefined) return undefined
  return { node, textBefore: source.slice(0, keyEnd), textAfter: source.slice(valueEnd) }
}

const pairOf = (map: YAMLMap, key: string): Pair | undefined =>
  map.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === key)

/** Navigation consists of lists, maps and plain values, without tags, anchors, aliases and merge keys. */
function findProblem(source: string, node: Node | null): EditOutcome | undefined {
  if (node === null) return undefined
  const line = lineOf(source, node)
  if (isAlias(node)) return editProblem('aliases are not allowed in the navigation', line)
  if ('anchor' in node && node.anchor !== undefined)
    return editProblem('anchors are not allowed in the navigation', line)
  if (hasTag(source, node)) return editProblem('tags are not allowed in the navigation', line)
  if (isSeq(node)) {
    for (const item of node.items) {
      const problem = findProblem(source, item as Node | null)
      if (problem) return problem
    }
    return undefined
  }
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      if (!isScalar(key)) return editProblem('a key must be a plain value', line)
      if (key.value === '<<') return editProblem('merge keys are not allowed in the navigation', line)
      const problem = findProblem(source, key) ?? findProblem(source, value as Node | null)
      if (problem) return problem
    }
    return undefined
  }
  return isScalar(node)
    ? undefined
    : editProblem('it contains something that is not a list, a map or a plain value', line)
}

/** An explicit tag such as `!ENV`, which reads a secret from the environment. */
const hasTag = (_source: string, node: Node): boolean => {
  const { srcToken } = node as { srcToken?: { type: string } }
  return node.tag !== undefined && srcToken !== undefined && node.tag !== defaultTag(node)
}

function defaultTag(node: Node): string | undefined {
  if (isMap(node)) return 'tag:yaml.org,2002:map'
  return isSeq(node) ? 'tag:yaml.org,2002:seq' : undefined
}

const lineOf = (source: string, node: Node): number => source.slice(0, node.range?.[0] ?? 0).split('\n').length

function stringsOf(source: string, before: Node | null, after: Node | null): NavigationStrings {
  const list = (node: unknown): NavigationStrings['after'][number][] => {
    if (isScalar(node))
      return [{ text: String(node.source ?? node.value ?? ''), isKey: false, line: lineOf(source, node) }]
    if (isSeq(node)) return node.items.flatMap(list)
    if (!isMap(node)) return []
    return node.items.flatMap(({ key, value }) => [
      ...list(key).map((item) => ({ ...item, isKey: true })),
      ...list(value),
    ])
  }
  return { before: new Set(list(before).map(({ text }) => text)), after: list(after) }
}
