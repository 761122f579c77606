import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ClaimedTurn } from '../../runner-wire/runner-wire.ts'
import { type EgressSocket, openEgressSocket } from '../sandbox/egress-socket.ts'
import { defaultSandboxLimits } from '../sandbox/limits.ts'
import { Sandbox } from '../sandbox/sandbox.ts'
import { DocsChecks, listDocsCheckMounts } from './docs-checks.ts'

const docsChecks = new DocsChecks()
let egress: EgressSocket
let sandbox: Sandbox
const openSandbox = () =>
  Sandbox.open({
    mounts: listDocsCheckMounts(),
    gatewayDirectory: egress.directory,
    cgroups: undefined,
    limits: defaultSandboxLimits,
  })
beforeAll(async () => {
  egress = await openEgressSocket({ gatewayUrl: 'http://127.0.0.1:9', token: 'none', allowedPaths: [] })
  sandbox = await openSandbox()
  await using warmUpSandbox = await openSandbox()
  await docsChecks.warmUp(warmUpSandbox)
})
afterAll(async () => {
  await sandbox.close()
  await egress[Symbol.asyncDispose]()
})

const shell = async (script: string) => {
  const { output } = await sandbox.run({ command: ['bash', '-ec', script], maxOutputBytes: 10_000 })
  return output.toString('utf8').trim()
}

const rules: ClaimedTurn['changeRules'] = {
  docsFolders: ['docs'],
  allowedPaths: [],
  siteGenerator: null,
  activeContent: 'refuse',
}

it('checks the changed pages in the sandbox', async () => {
  const base = await shell(`
    git init --quiet && git config user.name Test && git config user.email test@example.com
    mkdir docs && echo '# Old [x](nowhere.md)' > docs/old.md && echo '# Untouched [x](nowhere.md)' > docs/untouched.md
    git add . && git commit --quiet --message base && git rev-parse HEAD`)
  const check = () => docsChecks.checkPages(sandbox, { bases: [base] as const, rules }, new AbortController().signal)
  const all = (result: object) => [
    ...['Page syntax', 'Front matter', 'Internal links'].map((name) => ({ name, ...result })),
    { name: 'Publishing rules', status: 'passed', findings: [] },
  ]
  await expect(check()).resolves.toEqual(all({ status: 'not_checked', findings: ['No pages were changed.'] }))
  await shell('echo "# New" > docs/valid.md')
  await expect(check()).resolves.toEqual(all({ status: 'passed', findings: [] }))
  await shell(`
    echo '[y](new.mdx#no) [z](gone.md)' >> docs/old.md
    printf -- '---\\na: [\\n---\\n\\n<A>\\n' > docs/new.mdx`)
  await expect(check()).resolves.toMatchObject([
    { status: 'failed', findings: [expect.stringMatching(/^docs\/new\.mdx(:\d+)?: /)] },
    { status: 'failed', findings: [expect.stringMatching(/^docs\/new\.mdx: front matter: /)] },
    { status: 'failed', findings: ['docs/old.md:2: the link to `gone.md` is broken: there is no such file or page'] },
    { status: 'failed', findings: expect.arrayContaining([expect.stringContaining('`the page is not valid MDX`')]) },
  ])
})

it('checks AsciiDoc and reStructuredText', async () => {
  const base = await shell(`
    rm -rf .git docs && git init --quiet && git config user.name Test && git config user.email test@example.com
    mkdir docs && echo '= Home' > docs/index.adoc
    git add . && git commit --quiet --message base && git rev-parse HEAD`)
  await shell(`
    printf '= Page\\n\\nxref:index.adoc[Home] xref:none.adoc[None]\\n\\n----\\nx\\n' > docs/page.adoc
    printf 'Title\\n=====\\n\\n:doc:\\140none\\140 *x\\n' > docs/page.rst`)
  const repository = { bases: [base] as const, rules }
  const results = await docsChecks.checkPages(sandbox, repository, new AbortController().signal)
  const hasDocutils = await shell('python3 -c "import docutils" 2>/dev/null && echo yes || echo no')
  const inRst = hasDocutils === 'yes' ? ['docs/page.rst:4: Inline emphasis start-string without end-string.'] : []
  expect(results[0]).toMatchObject({
    name: 'Page syntax',
    status: 'failed',
    findings: ['docs/page.adoc:5: unterminated listing block', ...inRst],
  })
  expect(results[2]?.findings).toEqual([
    'docs/page.adoc:3: the link to `none.adoc` is broken: there is no such file or page',
    'docs/page.rst:4: the link to `none` is broken: there is no such file or page',
  ])
})

it('tells what would be refused, and how the navigation works', async () => {
  const base = await shell(`
    rm -rf .git docs && git init --quiet && git config user.name Test && git config user.email test@example.com
    mkdir docs && echo '# Home' > docs/index.md && printf 'nav:\\n  - Home: index.md\\nsite_name: x\\n' > mkdocs.yml
    git add . && git commit --quiet --message base && git rev-parse HEAD`)
  const repository = { bases: [base] as const, rules }
  const { signal } = new AbortController()
  await expect(docsChecks.describeSite(sandbox, repository, signal)).resolves.toEqual({
    name: 'MkDocs',
    navigation: expect.stringContaining('`mkdocs.yml`'),
  })
  await shell('echo "# New" > docs/new.md && sed -i "s/^  - Home.*/&\\n  - New: new.md/" mkdocs.yml')
  await expect(docsChecks.checkPages(sandbox, repository, signal)).resolves.toContainEqual({
    name: 'Publishing rules',
    status: 'passed',
    findings: [],
  })
  await shell('echo "<script>x()</script>" >> docs/new.md && echo "hooks: [x.py]" >> mkdocs.yml && touch Makefile')
  await expect(docsChecks.checkPages(sandbox, repository, signal)).resolves.toContainEqual({
    name: 'Publishing rules',
    status: 'failed',
    findings: [
      expect.stringMatching(/^Makefile: .*\(outside_docs_folder\)$/),
      expect.stringMatching(/^docs\/new\.md:2: .*`<script>x\(\)<\/script>` \(active_content\)$/),
      expect.stringMatching(/^mkdocs\.yml: .*only 'nav' may change in this file` \(unsafe_navigation\)$/),
    ],
  })

  await shell('rm Makefile')
  const holding = { bases: [base] as const, rules: { ...rules, activeContent: 'hold' as const } }
  await expect(docsChecks.checkPages(sandbox, holding, signal)).resolves.toContainEqual({
    name: 'Publishing rules',
    status: 'passed',
    findings: [],
    note: expect.stringMatching(/^A person has to approve: docs\/new\.md:2: .*; mkdocs\.yml: /),
  })
  await shell('touch Makefile')
  const allowing = { bases: [base] as const, rules: { ...rules, allowedPaths: ['Makefile', 'mkdocs.yml'] } }
  await expect(docsChecks.checkPages(sandbox, allowing, signal)).resolves.toContainEqual({
    name: 'Publishing rules',
    status: 'failed',
    findings: [expect.stringMatching(/^docs\/new\.md:2: /)],
  })
})

it('starts the checks with code that was compiled before, and does not use what the agent writes there', async () => {
  await shell('rm -rf /tmp/compile-cache-*')
  const base = await shell('git rev-parse HEAD')
  const { signal } = new AbortController()
  const repository = { bases: [base] as const, rules }
  const results = await docsChecks.checkPages(sandbox, repository, signal)
  const listDirectories = async () => (await shell('ls -d /tmp/compile-cache-*')).split('\n')
  const [first] = await listDirectories()
  expect(Number(await shell(`find ${first} -type f | wc -l`))).toBeGreaterThan(100)
  await shell(`find ${first} -type f -exec sh -c 'echo tampered >"$1"' sh {} \\;`)
  await expect(docsChecks.checkPages(sandbox, repository, signal)).resolves.toEqual(results)
  const [second] = (await listDirectories()).filter((directory) => directory !== first)
  expect(await shell(`grep --recursive --files-with-matches tampered ${second} || echo none`)).toBe('none')
})
