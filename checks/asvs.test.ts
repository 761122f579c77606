import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Evidence } from './asvs/requirement.ts'
import { chapters } from './asvs/requirements.ts'
import { asvsFile, formatDocument, levelOf } from './asvs.ts'

const root = join(import.meta.dirname, '..')
const requirements = chapters.flatMap((chapter) => Object.entries(chapter.requirements))

test('docs/asvs.md matches the requirements; if not, run `npm run asvs`', () => {
  expect(readFileSync(asvsFile, 'utf8')).toBe(formatDocument())
})

test('every requirement of levels 1 and 2 is listed once, in its chapter and in order', () => {
  expect(Object.keys(levelOf)).toHaveLength(253)
  expect(requirements.map(([id]) => id)).toEqual(Object.keys(levelOf))
  for (const { number, requirements } of chapters)
    expect(Object.keys(requirements).filter((id) => !id.startsWith(`${number}.`))).toEqual([])
})

test('at most 5 requirements are open', () => {
  const isOpen = requirements.filter(([, { status }]) => status === 'open').map(([id]) => id)
  expect(isOpen.length, isOpen.join(', ')).toBeLessThanOrEqual(5)
})

test('everything that shows that a requirement is met exists', () => {
  const evidence = requirements.flatMap(([id, each]) =>
    each.status === 'met' ? each.evidence.map((evidence) => ({ id, ...evidence })) : [],
  )
  expect(evidence.length).toBeGreaterThan(200)
  expect(evidence.flatMap((each) => describeProblem(each) ?? []).join('\n')).toBe('')
})

function describeProblem({ id, kind, file, text }: Evidence & { id: string }): string | undefined {
  const path = join(root, file)
  if (!existsSync(path)) return `${id}: ${file} does not exist`
  if (kind === 'test' && !/\.test\.tsx?$/.test(file)) return `${id}: ${file} is not a test`
  if (kind !== 'proof' && text === '') return `${id}: the text in ${file} is missing`
  const expected =
    kind === 'document' ? new RegExp(`^#+ ${RegExp.escape(text)}$`, 'm') : new RegExp(RegExp.escape(text))
  return expected.test(readFileSync(path, 'utf8').replaceAll("\\'", "'"))
    ? undefined
    : `${id}: ${file} does not have "${text}"`
}
