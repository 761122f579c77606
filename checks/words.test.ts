import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  allowedIdentifiers,
  allowedTexts,
  ambiguousBannedWords,
  type BannedWordException,
  bannedIdentifiers,
  bannedWords,
} from './banned-words.ts'
import { findBannedWords } from './words.ts'

const check = (file: string, source: string) => findBannedWords([file], () => source)

const places: readonly [place: string, file: string, sourceWith: (text: string) => string][] = [
  ['documentation', 'docs/page.md', (text) => `# Page\n\n${text}\n`],
  ['a table', 'docs/page.md', (text) => `| a | b |\n| - | - |\n| x | ${text} |\n`],
  ['a JSDoc comment', 'server/src/a.ts', (text) => `\n/**\n * ${text}\n */\nexport const a = 1\n`],
  ['a comment at the end of a line', 'server/src/a.ts', (text) => `\n\nconst a = 1 // ${text}\n`],
  ['a comment at the end of a file', 'server/src/a.ts', (text) => `const a = 1\n\n// ${text}\n`],
  ['a comment after a comma', 'server/src/a.ts', (text) => `const a = [\n\n  1, // ${text}\n]\n`],
  ['a comment in an empty block', 'server/src/a.ts', (text) => `function a() {\n\n  // ${text}\n}\n`],
  ['a comment in the dashboard', 'web/src/a.tsx', (text) => `const a = (\n\n<p>{/* ${text} */}</p>)`],
  ['a string', 'server/src/a.ts', (text) => `\n\nlog.info('${text}')\n`],
  ['a template', 'server/src/a.ts', (text) => `const a = (b) =>\n\n\`\${b}: ${text}\``],
  ['an element of the dashboard', 'web/src/a.tsx', (text) => `const a = (\n\n<p>${text}</p>)`],
  ['an attribute of the dashboard', 'web/src/a.tsx', (text) => `const a = (\n\n<Input label="${text}" />)`],
  ['SQL', 'server/migrations/postgres/0001_a.sql', (text) => `\n\n-- ${text}\n`],
  ['YAML', 'deploy/compose.yml', (text) => `\n\n# ${text}\n`],
  ['a shell script', 'deploy/make.sh', (text) => `\n\n# ${text}\n`],
  ['the API description', 'sdk/openapi.json', (text) => `{\n\n  "description": ${JSON.stringify(text)},\n}`],
]

describe.each(places)('in %s', (_place, file, sourceWith) => {
  test.each(bannedWords)('reports "$word": $example', ({ pattern, use, example }) => {
    const hits = check(file, sourceWith(example)).filter((hit) => hit.use === use)
    expect(hits).toHaveLength(example.match(new RegExp(pattern, 'gi'))?.length ?? 0)
    expect(hits.length).toBeGreaterThan(0)
    for (const hit of hits) expect(hit).toMatchObject({ file, line: 3 })
  })
})

const declarations: readonly [kind: string, declare: (name: string) => string][] = [
  ['a variable', (name) => `\n\nconst ${name} = 1`],
  ['a function', (name) => `\n\nfunction ${name}() {}`],
  ['a parameter', (name) => `const f =\n\n(${name}: string) => 1`],
  ['a type', (name) => `\n\ninterface ${name} {}`],
  ['a field', (name) => `interface A {\n\n${name}: string }`],
  ['a private member', (name) => `class A {\n\n#${name} = 1 }`],
]

describe.each(declarations)('as the name of %s', (kind, declare) => {
  const visible = bannedIdentifiers.filter(({ example }) => kind !== 'a private member' || /^[a-z]/.test(example))
  test.each(visible)('reports $example', ({ use, example }) => {
    expect(check('server/src/a.ts', declare(example))).toEqual([
      { file: 'server/src/a.ts', line: 3, found: expect.stringContaining(example), use },
    ])
  })
})

test.each([
  ['a code span', 'docs/page.md', 'The field `engine`.'],
  ['a code block', 'docs/page.md', '```sh\nstart the engine\n```'],
  ['the target of a link', 'docs/page.md', '[page](engine.md)'],
  ['a code span of a comment', 'server/src/a.ts', '// The field `engine`.'],
  ['an example of the API description', 'sdk/openapi.json', '{\n  "example": "engine"\n}'],
  ['generated code', 'sdk/src/generated/types.gen.ts', '// The engine.'],
  ['the glossary', 'docs/contributing/glossary.md', 'engine'],
])('ignores %s', (_place, file, source) => {
  expect(check(file, source)).toEqual([])
})

const fileFor = ({ files: [path] = ['server/src/a.ts'] }: BannedWordException) =>
  path?.endsWith('/') ? `${path}a.ts` : `${path}`

test.each(allowedTexts)('allows "$example": $reason', (exception) => {
  expect(check(fileFor(exception), `// ${exception.example}`)).toEqual([])
  expect(bannedWords.some(({ pattern }) => new RegExp(pattern, 'i').test(exception.example))).toBe(true)
})

test.each(allowedIdentifiers)('allows the name $example: $reason', (exception) => {
  expect(check(fileFor(exception), `const ${exception.example} = 1`)).toEqual([])
  expect(bannedIdentifiers.some(({ pattern }) => pattern.test(exception.example))).toBe(true)
})

test('reports an exception that is limited to other files', () => {
  const texts = allowedTexts.filter(({ files }) => files).map(({ example }) => `// ${example}`)
  const names = allowedIdentifiers.filter(({ files }) => files).map(({ example }) => `const ${example} = 1`)
  expect(texts.length + names.length).toBeGreaterThan(0)
  for (const source of [...texts, ...names]) expect(check('server/src/b.ts', source)).toHaveLength(1)
})

test('reports a banned word next to an allowed one', () => {
  expect(check('docs/page.md', 'A search engine and an engine.')).toMatchObject([{ found: 'engine' }])
})

test('the glossary and the check name the same words', () => {
  const glossary = readFileSync(join(import.meta.dirname, '../docs/contributing/glossary.md'), 'utf8')
  const [, table = ''] = glossary.split('## Words we do not use')
  const rows = [...table.matchAll(/^\| (.*?) +\| .* \|$/gm)].map((row) => row[1] ?? '').slice(2)
  const inGlossary = rows.flatMap((cell) =>
    cell
      .replaceAll(/ \([^)]*\)|`/g, '') // without the meaning in parentheses
      .split(/[,;] /),
  )
  const checked = [...bannedWords, ...bannedIdentifiers].map(({ word }) => word)
  const known = new Set([...checked, ...Object.keys(ambiguousBannedWords)])
  expect(inGlossary.toSorted()).toEqual([...known].toSorted())
  expect(Object.keys(ambiguousBannedWords).filter((word) => checked.includes(word))).toEqual([])
})
