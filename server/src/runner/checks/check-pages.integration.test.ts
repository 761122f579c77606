import { afterAll, beforeAll, expect, it } from 'vitest'
import { type EgressSocket, openEgressSocket } from '../sandbox/egress-socket.ts'
import { defaultSandboxLimits } from '../sandbox/limits.ts'
import { Sandbox } from '../sandbox/sandbox.ts'
import { checkPages, listDocsCheckMounts } from './check-pages.ts'

let egress: EgressSocket
let sandbox: Sandbox
beforeAll(async () => {
  egress = await openEgressSocket({ gatewayUrl: 'http://127.0.0.1:9', token: 'none', allowedPaths: [] })
  sandbox = await Sandbox.open({
    mounts: listDocsCheckMounts(),
    gatewayDirectory: egress.directory,
    cgroups: undefined,
    limits: defaultSandboxLimits,
  })
})
afterAll(async () => {
  await sandbox.close()
  await egress[Symbol.asyncDispose]()
})

const shell = async (script: string) => {
  const { output } = await sandbox.run({ command: ['bash', '-ec', script], maxOutputBytes: 10_000 })
  return output.toString('utf8').trim()
}

it('checks the changed pages in the sandbox', async () => {
  const base = await shell(`
    git init --quiet && git config user.name Test && git config user.email test@example.com
    mkdir docs && echo '# Old [x](nowhere.md)' > docs/old.md && echo '# Untouched [x](nowhere.md)' > docs/untouched.md
    git add . && git commit --quiet --message base && git rev-parse HEAD`)
  const check = () => checkPages(sandbox, base, new AbortController().signal)
  const all = (result: object) => ['MDX syntax', 'Front matter', 'Internal links'].map((name) => ({ name, ...result }))
  await expect(check()).resolves.toEqual(all({ status: 'not_checked', findings: ['No pages were changed.'] }))
  await shell('echo changed > docs/page.rst')
  const notChecked = 'Not checked: docs/page.rst. Up to 500 .md and .mdx pages of up to 1 MiB are checked.'
  await expect(check()).resolves.toEqual(all({ status: 'not_checked', findings: [notChecked] }))
  await shell('echo "# New" > docs/valid.md')
  await expect(check()).resolves.toEqual(all({ status: 'passed', findings: [], note: notChecked }))
  await shell(`
    echo '[y](new.mdx#no) [z](gone.md)' >> docs/old.md
    printf -- '---\\na: [\\n---\\n\\n<A>\\n' > docs/new.mdx`)
  await expect(check()).resolves.toMatchObject([
    { status: 'failed', findings: [expect.stringMatching(/^docs\/new\.mdx(:\d+)?: /)] },
    { status: 'failed', findings: [expect.stringMatching(/^docs\/new\.mdx: front matter: /)] },
    { status: 'failed', findings: ['docs/old.md:2: the link to `gone.md` is broken: there is no such file'] },
  ])
})
