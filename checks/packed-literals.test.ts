/** Tests the lint rule against packed literals: it reports each packed form, and no ordinary one. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

const packed = [
  'export const a = { ...{ b: 1, c: 2 } }',
  'export const b = [...[1, 2], 3]',
  'export const c = Math.max(...[1, 2])',
  'export const [d, e] = [1, 2]',
  'export const f = <div {...{ id: "f" }} />',
  'let g = 1\nlet h = 2\n;[g, h] = [h, g]\nexport const i = g + h',
]
const ordinary = [
  'export const a = { ...(Math.random() > 0.5 ? { b: 1 } : {}) }',
  'const defaults = { c: 1 }\nexport const d = { ...defaults, e: 2 }',
  'const list = [1, 2]\nexport const [f, ...g] = list',
  'export const [h, i] = await Promise.all([fetch("a"), fetch("b")])',
]

function lint(sources: readonly string[]): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-lint-'))
  try {
    copyFileSync(join(root, 'checks/lint/no-packed-literals.grit'), join(directory, 'rule.grit'))
    writeFileSync(
      join(directory, 'biome.json'),
      JSON.stringify({ root: true, plugins: ['./rule.grit'], linter: { rules: { preset: 'none' } } }),
    )
    for (const [index, source] of sources.entries()) writeFileSync(join(directory, `${index}.tsx`), `${source}\n`)
    const biome = join(root, 'node_modules/.bin/biome')
    const { stdout } = spawnSync(biome, ['lint', '--reporter=json', '.'], { cwd: directory, encoding: 'utf8' })
    const report = JSON.parse(stdout)
    return report.diagnostics.map((diagnostic: { location: { path: string } }) => diagnostic.location.path)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

test('reports each packed form', () => {
  expect(lint(packed).sort()).toEqual(packed.map((_, index) => `${index}.tsx`))
})

test('does not report ordinary spreads and destructuring', () => {
  expect(lint(ordinary)).toEqual([])
})
