import { afterAll, beforeAll, expect, it } from 'vitest'
import { Box } from '../sandbox/box.ts'
import { openWayOut, type WayOut } from '../sandbox/way-out.ts'
import { checkMounts, checkPages } from './check-pages.ts'

let wayOut: WayOut
let box: Box
beforeAll(async () => {
  wayOut = await openWayOut({ gatewayUrl: 'http://127.0.0.1:9', token: 'none', paths: [] })
  box = await Box.open({ mounts: checkMounts(), gatewayDirectory: wayOut.directory, groups: undefined })
})
afterAll(async () => {
  await box.close()
  await wayOut[Symbol.asyncDispose]()
})

const shell = async (script: string) => {
  const { output } = await box.run({ command: ['bash', '-ec', script], maxOutputBytes: 10_000 })
  return output.toString('utf8').trim()
}

it('checks the pages that changed, in the box', async () => {
  const base = await shell(`
    git init --quiet && git config user.name Test && git config user.email test@example.com
    mkdir docs && echo '# Old [x](nowhere.md)' > docs/old.md && echo '# Untouched [x](nowhere.md)' > docs/untouched.md
    git add . && git commit --quiet --message base && git rev-parse HEAD`)
  const check = () => checkPages(box, base, new AbortController().signal)
  await expect(check()).resolves.toEqual([
    { name: 'MDX compiles', status: 'passed', findings: [] },
    { name: 'Front matter is YAML', status: 'passed', findings: [] },
    { name: 'Links lead somewhere', status: 'passed', findings: [] },
  ])
  await shell(`
    echo '[y](new.mdx#no) [z](gone.md)' >> docs/old.md
    printf -- '---\\na: [\\n---\\n\\n<A>\\n' > docs/new.mdx`)
  await expect(check()).resolves.toMatchObject([
    { status: 'failed', findings: [expect.stringMatching(/^docs\/new\.mdx(:\d+)?: /)] },
    { status: 'failed', findings: [expect.stringMatching(/^docs\/new\.mdx: front matter: /)] },
    { status: 'failed', findings: ['docs/old.md:2: the link to `gone.md` leads nowhere'] },
  ])
})
