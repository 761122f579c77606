/** Edits of JavaScript, TypeScript and JSON. Outside of the navigation both syntax trees must be the same, literals included. */
import type { File, Node } from '@babel/types'
import {
  exportedValue,
  findImport,
  type ImportedName,
  keyOf,
  literalValue,
  parseJs,
  parseJson,
  propertyOf,
  resolveConstant,
  statementsOf,
  unwrapExpression,
  walk,
} from '../../site-generators/config/js-source.ts'
import type { NavigationFile, NavigationPlace } from '../../site-generators/site-generator.ts'
import { type EditOutcome, editProblem, type NavigationEdit, type NavigationStrings } from './edit-outcome.ts'

export function findJsEditProblem({ path, before, after }: NavigationEdit, part: NavigationFile['part']): EditOutcome {
  const afterFile = parseJs(after, path)
  if (!afterFile) return editProblem('it is not valid JavaScript or TypeScript')
  if (before === undefined)
    return part === 'whole' ? checkNewFile(afterFile) : editProblem('configuration must not be added')
  const beforeFile = parseJs(before, path)
  if (!beforeFile) return editProblem('the file was not valid before, so the change cannot be checked')
  const places = { before: findPlaces(beforeFile, part), after: findPlaces(afterFile, part) }
  return comparePlaces(beforeFile, afterFile, places)
}

export function findJsonEditProblem({ before, after }: NavigationEdit, part: NavigationFile['part']): EditOutcome {
  const afterTree = parseJson(after)
  if (!afterTree) return editProblem('it is not valid JSON')
  if (!isLiteral(afterTree)) return editProblem('a key occurs twice, or is not allowed')
  if (before === undefined)
    return part === 'whole' ? { strings: stringsOf([], [afterTree]) } : editProblem('configuration must not be added')
  const beforeTree = parseJson(before)
  if (!beforeTree) return editProblem('the file was not valid before, so the change cannot be checked')
  const find = (tree: Node) => (part === 'whole' ? [tree] : part.map(({ keys }) => valueAt(tree, keys)))
  return comparePlaces(beforeTree, afterTree, { before: find(beforeTree), after: find(afterTree) })
}

/** A new file may consist only of `export default` and a literal. */
function checkNewFile(file: File): EditOutcome {
  const [statement, ...others] = statementsOf(file)
  const hasMore = others.length > 0 || file.program.directives.length > 0 || Boolean(file.program.interpreter)
  if (hasMore || statement?.type !== 'ExportDefaultDeclaration' || !isLiteral(statement.declaration))
    return editProblem('a new file may contain only `export default` and literals')
  return { strings: stringsOf([], [statement.declaration]) }
}

type PlacesOf = readonly (Node | undefined)[]

function comparePlaces(
  beforeRoot: Node,
  afterRoot: Node,
  { before, after }: { before: PlacesOf; after: PlacesOf },
): EditOutcome {
  const pairs = new Map<Node, Node>()
  for (const [index, node] of before.entries()) {
    const counterpart = after[index]
    if (node && counterpart) pairs.set(node, counterpart)
  }
  const different = findDifference(beforeRoot, afterRoot, pairs)
  if (different) return editProblem('only literals in the navigation may change', different.loc?.start.line)
  return { strings: stringsOf([...pairs.keys()], [...pairs.values()]) }
}

/** The nodes of the navigation. The order is that of the places, so that those of two versions can be compared. */
function findPlaces(file: File, part: NavigationFile['part']): (Node | undefined)[] {
  const exported = exportedValue(file)
  if (part === 'whole') return [exported]
  return part.map((place) => findPlace(file, exported, place))
}

function findPlace(file: File, exported: Node | undefined, { keys, call }: NavigationPlace): Node | undefined {
  if (!exported) return undefined
  if (!call) return exported.type === 'ObjectExpression' ? valueAt(exported, keys) : undefined
  const calls = [...walk(exported)].filter((node) => node.type === 'CallExpression' && isCallOf(file, node, call))
  const [node, ...others] = calls
  if (node?.type !== 'CallExpression' || others.length > 0 || node.arguments.length !== 1) return undefined
  const [argument] = node.arguments
  return argument && valueAt(resolveConstant(file, argument), keys)
}

function isCallOf(file: File, { callee }: Node & { type: 'CallExpression' }, { name, from }: ImportedName): boolean {
  if (callee.type !== 'Identifier') return false
  const imported = findImport(file, callee.name)
  return imported?.from === from && imported.name === name
}

const valueAt = (node: Node, keys: readonly string[]): Node | undefined =>
  keys.reduce<Node | undefined>((value, key) => propertyOf(value, key), node)

/** The first node of the new tree that is not allowed to differ. Undefined: there is none. */
function findDifference(before: Node, after: Node, places: ReadonlyMap<Node, Node>): Node | undefined {
  const counterpart = places.get(before)
  if (counterpart === after) return findDifferenceInside(before, after)
  if (before.type !== after.type) return after
  for (const key of comparedKeys(before, after)) {
    const one = before[key as keyof Node] as unknown
    const other = after[key as keyof Node] as unknown
    const different = compareValues(one, other, after, (left, right) => findDifference(left, right, places))
    if (different) return different
  }
  return undefined
}

const ignoredKeys = new Set([
  'loc',
  'start',
  'end',
  'range',
  'extra',
  'leadingComments',
  'trailingComments',
  'innerComments',
  'comments',
  'tokens',
  'errors',
])

const comparedKeys = (before: Node, after: Node): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => !ignoredKeys.has(key))

function compareValues(
  one: unknown,
  other: unknown,
  parent: Node,
  compare: (one: Node, other: Node) => Node | undefined,
): Node | undefined {
  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.length !== other.length) return parent
    for (const [index, item] of one.entries()) {
      const different = compareValues(item, other[index], parent, compare)
      if (different) return different
    }
    return undefined
  }
  if (isNode(one) && isNode(other)) return compare(one, other)
  return isDeepEqual(one, other) ? undefined : parent
}

/** Plain values of a node, such as the raw and cooked text of a template. */
const isDeepEqual = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) ||
  (typeof one === 'object' && JSON.stringify(one, bigintToText) === JSON.stringify(other, bigintToText))

const bigintToText = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'

const nothing: ReadonlyMap<Node, Node> = new Map()

/** In the navigation, literals may come, go and change. Everything that is computed must stay, in the same order. */
function findDifferenceInside(wrappedBefore: Node, wrappedAfter: Node): Node | undefined {
  const before = unwrapExpression(wrappedBefore)
  const after = unwrapExpression(wrappedAfter)
  if (before !== wrappedBefore || after !== wrappedAfter) {
    // The type annotations around it must be the same.
    if (wrappedBefore.type !== wrappedAfter.type) return wrappedAfter
  }
  if (isLiteral(after) && isLiteral(before)) return undefined
  if (before.type === 'ArrayExpression' && after.type === 'ArrayExpression')
    return compareComputed(before.elements, after.elements, after, findDifferenceInside)
  if (before.type === 'ObjectExpression' && after.type === 'ObjectExpression')
    return compareComputed(before.properties, after.properties, after, comparePropertyInside)
  return findDifference(before, after, nothing)
}

function comparePropertyInside(before: Node, after: Node): Node | undefined {
  const key = keyOf(before)
  const isPlain =
    before.type === 'ObjectProperty' && after.type === 'ObjectProperty' && key !== undefined && key === keyOf(after)
  if (!isPlain || before.shorthand || after.shorthand) return findDifference(before, after, nothing)
  return findDifferenceInside(before.value, after.value)
}

function compareComputed(
  before: readonly (Node | null)[],
  after: readonly (Node | null)[],
  parent: Node,
  compare: (before: Node, after: Node) => Node | undefined,
): Node | undefined {
  const isComputed = (node: Node | null) =>
    node === null || !(node.type === 'ObjectProperty' ? isLiteralProperty(node) : isLiteral(node))
  const computedBefore = before.filter(isComputed)
  const computedAfter = after.filter(isComputed)
  if (computedBefore.length !== computedAfter.length) return computedAfter.find((node) => node !== null) ?? parent
  for (const [index, node] of computedBefore.entries()) {
    const other = computedAfter[index]
    if (!node || !other) return parent
    const different = compare(node, other)
    if (different) return different
  }
  return undefined
}

/** Strings, numbers, booleans, null, and lists and objects of these, without anything that is executed. */
export function isLiteral(node: Node): boolean {
  switch (node.type) {
    case 'StringLiteral':
    case 'NumericLiteral':
    case 'BooleanLiteral':
    case 'NullLiteral':
      return true
    case 'TemplateLiteral':
      return node.expressions.length === 0
    case 'UnaryExpression':
      return node.operator === '-' && node.argument.type === 'NumericLiteral'
    case 'ArrayExpression':
      return node.elements.every((element) => element !== null && isLiteral(element))
    case 'ObjectExpression': {
      const keys = node.properties.map(keyOf)
      return new Set(keys).size === keys.length && node.properties.every(isLiteralProperty)
    }
    default:
      return false
  }
}

function isLiteralProperty(node: Node): boolean {
  const key = keyOf(node)
  if (node.type !== 'ObjectProperty' || node.shorthand || key === undefined || key === '__proto__') return false
  return isLiteral(node.value as Node)
}

function stringsOf(before: readonly Node[], after: readonly Node[]): NavigationStrings {
  const list = (nodes: readonly Node[]) =>
    nodes.flatMap((root) =>
      [...walk(root)].flatMap((node) => {
        const line = node.loc?.start.line ?? 1
        const key = keyOf(node)
        if (key !== undefined) return [{ text: key, isKey: true, line }]
        const value = literalValue(node)
        return typeof value === 'string' ? [{ text: value, isKey: false, line }] : []
      }),
    )
  return { before: new Set(list(before).map(({ text }) => text)), after: list(after) }
}
