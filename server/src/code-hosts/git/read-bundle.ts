import { type CommitId, isCommitId } from '../code-host.ts'
import { type PackLimits, type PackRefusal, refusalOfPack } from './read-pack.ts'

export type BundleRefusal = 'bundle_too_large' | 'not_a_bundle' | 'wrong_base' | 'extra_refs' | PackRefusal

export type BundleReading =
  | { kind: 'readable'; head: CommitId; pack: Buffer }
  | { kind: 'refused'; code: BundleRefusal }

export const maxBundleBytes = 24 * 1024 * 1024

const packLimits: PackLimits = { objects: 20_000, objectBytes: 10 * 1024 * 1024, totalBytes: 64 * 1024 * 1024 }

const signature = Buffer.from('# v2 git bundle\n')
const maxHeaderBytes = 4096

const refused = (code: BundleRefusal): BundleReading => ({ kind: 'refused', code })

/**
 * What `git bundle create out BASE..HEAD HEAD` makes, and nothing else that a bundle can be: one base, one ref. Read here
 * and not by git, so that nothing is unpacked before it is known to be small.
 */
export async function readBundle(bundle: Uint8Array, base: CommitId): Promise<BundleReading> {
  if (bundle.length > maxBundleBytes) return refused('bundle_too_large')
  const bytes = Buffer.from(bundle.buffer, bundle.byteOffset, bundle.length)
  if (!bytes.subarray(0, signature.length).equals(signature)) return refused('not_a_bundle')
  const headerEnd = bytes.subarray(0, maxHeaderBytes).indexOf('\n\n')
  if (headerEnd < signature.length) return refused('not_a_bundle')

  const lines = bytes.toString('latin1', signature.length, headerEnd).split('\n')
  const bases = lines.filter((line) => line.startsWith('-')).map((line) => line.slice(1, 41))
  if (bases.length !== 1 || bases[0] !== base) return refused('wrong_base')
  const [ref = '', ...otherRefs] = lines.filter((line) => !line.startsWith('-'))
  const head = ref.slice(0, 40)
  if (otherRefs.length > 0 || ref !== `${head} HEAD`) return refused('extra_refs')
  if (!isCommitId(head)) return refused('not_a_bundle')

  const pack = bytes.subarray(headerEnd + 2)
  const refusal = await refusalOfPack(pack, packLimits)
  return refusal ? refused(refusal) : { kind: 'readable', head, pack }
}
