import { describe, expect, it } from 'vitest'
import { bundleOf, commitObject, packOf } from '../testing/craft-objects.ts'
import { maxBundleBytes, readBundle } from './read-bundle.ts'

const base = 'a'.repeat(40)
const other = 'b'.repeat(40)
const commit = commitObject('c'.repeat(40), [base])
const pack = packOf([commit])
const refs = { HEAD: commit.id }
const text = (lines: string) => Buffer.concat([Buffer.from(lines), pack])

describe('readBundle', () => {
  it('reads what git makes', async () => {
    await expect(readBundle(bundleOf({ bases: [base], refs, pack }), base)).resolves.toEqual({
      kind: 'readable',
      head: commit.id,
      pack,
    })
  })

  it.each([
    ['bundle_too_large', Buffer.alloc(maxBundleBytes + 1)],
    ['not_a_bundle', Buffer.alloc(0)],
    ['not_a_bundle', Buffer.from('# v2 git bundle\n')],
    ['not_a_bundle', text(`# v3 git bundle\n-${base} x\n${commit.id} HEAD\n\n`)],
    ['not_a_bundle', text(`# v2 git bundle\n-${base} ${'x'.repeat(5000)}\n${commit.id} HEAD\n\n`)],
    ['not_a_bundle', text(`# v2 git bundle\n-${base} x\n${'x'.repeat(40)} HEAD\n\n`)],
    ['wrong_base', bundleOf({ bases: [], refs, pack })],
    ['wrong_base', bundleOf({ bases: [other], refs, pack })],
    ['wrong_base', bundleOf({ bases: [base, other], refs, pack })],
    ['extra_refs', bundleOf({ bases: [base], refs: {}, pack })],
    ['extra_refs', bundleOf({ bases: [base], refs: { ...refs, 'refs/heads/main': commit.id }, pack })],
    ['extra_refs', bundleOf({ bases: [base], refs: { 'refs/heads/HEAD': commit.id }, pack })],
    ['broken_pack', bundleOf({ bases: [base], refs, pack: Buffer.alloc(0) })],
  ])('says %s', async (code, bundle) => {
    await expect(readBundle(bundle, base)).resolves.toEqual({ kind: 'refused', code })
  })
})
