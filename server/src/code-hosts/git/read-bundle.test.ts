import { describe, expect, it } from 'vitest'
import { craftCommitObject, createBundle, createPack } from '../testing/craft-objects.ts'
import { maxBundleBytes, readBundle } from './read-bundle.ts'

const base = 'a'.repeat(40)
const otherBase = 'b'.repeat(40)
const commit = craftCommitObject('c'.repeat(40), [base])
const pack = createPack([commit])
const refs = { HEAD: commit.id }
const withHeader = (lines: string) => Buffer.concat([Buffer.from(lines), pack])

describe('readBundle', () => {
  it('reads a bundle as git writes it', async () => {
    await expect(readBundle(createBundle({ bases: [base], refs, pack }), base)).resolves.toEqual({
      kind: 'readable',
      head: commit.id,
      pack,
    })
  })

  it.each([
    ['bundle_too_large', Buffer.alloc(maxBundleBytes + 1)],
    ['not_a_bundle', Buffer.alloc(0)],
    ['not_a_bundle', Buffer.from('# v2 git bundle\n')],
    ['not_a_bundle', withHeader(`# v3 git bundle\n-${base} x\n${commit.id} HEAD\n\n`)],
    ['not_a_bundle', withHeader(`# v2 git bundle\n-${base} ${'x'.repeat(5000)}\n${commit.id} HEAD\n\n`)],
    ['not_a_bundle', withHeader(`# v2 git bundle\n-${base} x\n${'x'.repeat(40)} HEAD\n\n`)],
    ['wrong_base', createBundle({ bases: [], refs, pack })],
    ['wrong_base', createBundle({ bases: [otherBase], refs, pack })],
    ['wrong_base', createBundle({ bases: [base, otherBase], refs, pack })],
    ['unexpected_refs', createBundle({ bases: [base], refs: {}, pack })],
    ['unexpected_refs', createBundle({ bases: [base], refs: { ...refs, 'refs/heads/main': commit.id }, pack })],
    ['unexpected_refs', createBundle({ bases: [base], refs: { 'refs/heads/HEAD': commit.id }, pack })],
    ['invalid_pack', createBundle({ bases: [base], refs, pack: Buffer.alloc(0) })],
  ])('refuses with %s', async (code, bundle) => {
    await expect(readBundle(bundle, base)).resolves.toEqual({ kind: 'refused', code })
  })
})
