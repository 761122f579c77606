/** Reads JavaScript, TypeScript and JSON without executing anything. Used to recognize a site and to compare two versions of a file. */
import { parse, parseExpression } from '@babel/parser'
import type { Expression, File, Node, ObjectExpression, Program, Statement } from '@babel/types'

/** Undefined: the file is not valid. */
export function parseJs(source: string, path: string): File | undefined {
  const isTypeScript = /\.[cm]?tsx?$/.test(path)
  const isJsx = /x$/.test(path)
  try {
    return parse(source, {
      sourceType: /\.c[jt]s$/.test(path) ? 'script' : 'module',
      // CommonJS files are often named .js.
      allowReturnOutsideFunction: false,
      plugins: [...(isTypeScript ? (['typescript'] as const) : []), ...(isJsx ? (['jsx'] as const) : [])],
    })
  } catch {
    return undefined
  }
}

/** JSON is a subset of JavaScript expressions. Undefined: the text is not valid JSON. */
export function parseJson(source: string): Expression | undefined {
  try {
    JSON.parse(source) // rejects what only JavaScript allows: comments, single quotes, trailing commas
    return parseExpression(`(${source}\n)`)
  } catch {
    return undefined
  }
}

/** Without the type annotations around an expression. */
export function unwrapExpression(node: Node): Node {
  switch (node.type) {
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'ParenthesizedExpression':
      return unwrapExpression(node.expression)
    default:
      return node
  }
}

export const statementsOf = (file: File): Statement[] => (file.program as Program).body

/** The value of `export default` or `module.exports`, with constants of the file resolved. Undefined: there is none, or two. */
export function exportedValue(file: File): Node | undefined {
  const values = statementsOf(file).flatMap((statement): Node[] => {
    if (statement.type === 'ExportDefaultDeclaration') return [statement.declaration]
    if (statement.type === 'TSExportAssignment') return [statement.expression]
    if (statement.type !== 'ExpressionStatement' || statement.expression.type !== 'AssignmentExpression') return []
    const { left, right, operator } = statement.expression
    return operator === '=' && isModuleExports(left) ? [right] : []
  })
  const [value, ...others] = values
  return value && others.length === 0 ? resolveConstant(file, value) : undefined
}

function isModuleExports(node: Node): boolean {
  if (node.type !== 'MemberExpression' || node.computed) return false
  const { object, property } = node
  return (
    object.type === 'Identifier' &&
    object.name === 'module' &&
    property.type === 'Identifier' &&
    property.name === 'exports'
  )
}

/** Follows an identifier to the `const` of the file that defines it. */
export function resolveConstant(file: File, node: Node): Node {
  const value = unwrapExpression(node)
  if (value.type !== 'Identifier') return value
  const definitions = statementsOf(file).flatMap((statement) => {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declaration?.type !== 'VariableDeclaration' || declaration.kind !== 'const') return []
    return declaration.declarations.filter(({ id }) => id.type === 'Identifier' && id.name === value.name)
  })
  const [definition, ...others] = definitions
  return definition?.init && others.length === 0 ? unwrapExpression(definition.init) : value
}

export interface ImportedName {
  from: string
  /** `default` for the default export, and for what `require` returns. */
  name: string
}

/** Where a name of the file comes from, by `import` or by `const x = require('…')`. Undefined: it is not imported. */
export function findImport(file: File, local: string): ImportedName | undefined {
  for (const statement of statementsOf(file)) {
    if (statement.type === 'ImportDeclaration') {
      const specifier = statement.specifiers.find((candidate) => candidate.local.name === local)
      if (specifier) return { from: statement.source.value, name: importedName(specifier) }
    }
    if (statement.type !== 'VariableDeclaration') continue
    for (const { id, init } of statement.declarations) {
      if (init?.type !== 'CallExpression' || init.callee.type !== 'Identifier' || init.callee.name !== 'require')
        continue
      const [source] = init.arguments
      const name = requiredName(id, local)
      if (source?.type === 'StringLiteral' && name !== undefined) return { from: source.value, name }
    }
  }
  return undefined
}

function importedName(specifier: Node): string {
  if (specifier.type !== 'ImportSpecifier') return specifier.type === 'ImportDefaultSpecifier' ? 'default' : '*'
  return specifier.imported.type === 'Identifier' ? specifier.imported.name : specifier.imported.value
}

function requiredName(id: Node, local: string): string | undefined {
  if (id.type === 'Identifier') return id.name === local ? 'default' : undefined
  if (id.type !== 'ObjectPattern') return undefined
  const property = id.properties.find(
    (candidate) =>
      candidate.type === 'ObjectProperty' && candidate.value.type === 'Identifier' && candidate.value.name === local,
  )
  return property && keyOf(property)
}

/** The configuration object: the exported object, or the first argument of the exported call. */
export function configObject(file: File): ObjectExpression | undefined {
  const value = exportedValue(file)
  const argument = value?.type === 'CallExpression' ? value.arguments[0] : value
  const object = argument && resolveConstant(file, argument)
  return object?.type === 'ObjectExpression' ? object : undefined
}

/** Undefined: the key is computed, or not a plain property. */
export function keyOf(property: Node): string | undefined {
  if (property.type !== 'ObjectProperty' || property.computed) return undefined
  const { key } = property
  if (key.type === 'Identifier') return key.name
  if (key.type === 'StringLiteral') return key.value
  return key.type === 'NumericLiteral' ? String(key.value) : undefined
}

/** The value of the only property of this name. */
export function propertyOf(object: Node | undefined, name: string): Node | undefined {
  if (object?.type !== 'ObjectExpression') return undefined
  const found = object.properties.filter((property) => keyOf(property) === name)
  const [property, ...others] = found
  return property?.type === 'ObjectProperty' && others.length === 0 ? unwrapExpression(property.value) : undefined
}

/** Undefined: the expression is not a literal, so its value is not known without executing it. */
export function literalValue(node: Node | undefined): unknown {
  if (!node) return undefined
  const value = unwrapExpression(node)
  switch (value.type) {
    case 'StringLiteral':
    case 'NumericLiteral':
    case 'BooleanLiteral':
      return value.value
    case 'NullLiteral':
      return null
    case 'TemplateLiteral':
      return value.expressions.length === 0 ? value.quasis[0]?.value.cooked : undefined
    default:
      return undefined
  }
}

/** All nodes of a tree, outermost first. */
export function* walk(node: Node): Generator<Node> {
  yield node
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* walk(child)
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
