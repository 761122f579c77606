/** Tests the rules of .dependency-cruiser.mjs: each forbidden import below is reported, and similar allowed imports are not. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import configuration from '../.dependency-cruiser.mjs'

type Case = [from: string, to: string, rule: string | undefined, statement?: 'import type']

const cases: Case[] = [
  ['server/src/platform/a.ts', 'server/src/jobs/b.ts', 'platform-imports-only'],
  ['server/src/api/a.ts', 'server/src/code-hosts/b.ts', 'api-imports-only'],
  ['server/src/api/c.ts', 'server/src/main/b.ts', 'only-main-composes'],
  ['server/src/api-reference/a.ts', 'server/src/api/i.ts', 'api-reference-imports-only'],
  ['server/src/gateway/a.ts', 'server/src/api-reference/b.ts', 'gateway-imports-only'],
  ['server/src/jobs/a.ts', 'server/src/keys/b.ts', 'capabilities-do-not-import-each-other'],
  ['server/src/api/i.ts', 'server/src/database/b.ts', 'api-imports-only', 'import type'],
  ['server/src/database/a.ts', 'server/src/jobs/h.ts', 'database-imports-only', 'import type'],
  ['server/src/jobs/c.ts', 'server/src/api/b.ts', 'capabilities-do-not-import-each-other'],
  ['server/src/runner/a.ts', 'server/src/platform/postgres.ts', 'runner-imports-only'],
  ['server/src/runner/c.ts', 'server/src/gateway/b.ts', 'runner-imports-only', 'import type'],
  ['server/src/workflows/a.ts', 'server/src/activities/b.ts', 'workflows-are-deterministic'],
  ['web/src/a.ts', 'server/src/api/d.ts', 'clients-use-sdk-only'],
  ['cli/src/a.ts', 'server/src/analytics/import-logs/import-log.ts', 'clients-use-sdk-only'],
  ['server/src/analytics/import-logs/split-lines.ts', 'server/src/analytics/b.ts', 'log-reader-is-independent'],
  ['mcp/src/a.ts', 'server/src/api/k.ts', 'clients-use-sdk-only'],
  ['server/src/api/l.ts', 'sdk/src/b.ts', 'only-api-mcp-uses-clients'],
  ['server/src/jobs/d.ts', 'server/src/jobs/helpers/b.ts', 'no-catch-all-folders'],
  ['sdk/src/a.ts', 'server/src/api/e.ts', 'sdk-is-independent'],
  ['server/src/api/f.ts', 'testing/b.ts', 'product-does-not-import-tools'],
  ['testing/simulators/github/a.ts', 'testing/services/b.ts', 'github-simulator-is-independent'],
  ['testing/simulators/github/a.test.ts', 'testing/services/c.ts', 'github-simulator-is-independent'],
  ['testing/harness/a.ts', 'testing/simulators/github/b.ts', 'github-simulator-by-name'],

  ['cli/src/b.ts', 'server/src/analytics/log-formats/parse-log-line.ts', undefined],
  ['server/src/api/g.ts', 'server/src/jobs/e.ts', undefined],
  ['server/src/api/j.ts', 'server/src/api-reference/c.ts', undefined],
  ['server/src/api/mcp/a.ts', 'sdk/src/index.ts', undefined],
  ['web/src/c.integration.test.ts', 'testing/c.ts', undefined],
  ['server/src/jobs/f.ts', 'server/src/platform/d.ts', undefined],
  ['server/src/keys/e.ts', 'server/src/audit/b.ts', undefined],
  ['server/src/keys/f.ts', 'server/src/database/c.ts', undefined],
  ['server/src/jobs/g.ts', 'server/src/keys/d.ts', undefined, 'import type'],
  ['server/src/runner/d.ts', 'server/src/runner-wire/b.ts', undefined],
  ['server/src/runner/e.ts', 'server/src/platform/log.ts', undefined],
  ['server/src/workflows/c.ts', 'server/src/activities/d.ts', undefined, 'import type'],
  ['server/src/main/c.ts', 'server/src/api/h.ts', undefined],
  ['testing/simulators/github/c.ts', 'testing/simulators/github/operations/b.ts', undefined],
]

let tree: string
let violations: ICruiseResult['summary']['violations']

beforeAll(async () => {
  tree = mkdtempSync(join(tmpdir(), 'colophon-layers-'))
  cpSync(join(import.meta.dirname, '../tsconfig.json'), join(tree, 'tsconfig.json'))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    writeFileSync(join(tree, path), text)
  }
  for (const [from, to, , statement = 'import'] of cases) {
    write(to, 'export interface Thing { name: string }\nexport const thing: Thing = { name: "thing" }\n')
    const [imported, used] =
      statement === 'import' ? ['thing', 'export const used = thing'] : ['Thing', 'export type Used = Thing']
    write(from, `${statement} { ${imported} } from './${relative(dirname(from), to)}'\n${used}\n`)
  }
  const { output } = await cruise(['server', 'web', 'sdk', 'cli', 'mcp', 'testing'], {
    ...configuration.options,
    ruleSet: { forbidden: configuration.forbidden },
    validate: true,
    baseDir: tree,
  })
  violations = (output as ICruiseResult).summary.violations
}, 60_000)
afterAll(() => rmSync(tree, { recursive: true, force: true }))

const brokenRules = (from: string) =>
  violations.filter((violation) => violation.from === from).map(({ rule }) => rule.name)

for (const [from, to, rule, statement = 'import'] of cases) {
  test(`${from} ${rule ? 'may not' : 'may'} ${statement} ${to}`, () => {
    const broken = brokenRules(from)
    if (rule === undefined) expect(broken).toEqual([])
    else expect(broken).toContain(rule)
  })
}
