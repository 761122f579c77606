import { type CommitId, isCommitId } from '../code-host.ts'
import { checkPack, type PackLimits, type PackRefusal } from './check-pack.ts'

export type BundleRefusal = 'bundle_too_large' | 'not_a_bundle' | 'wrong_base' | 'unexpected_refs' | PackRefusal

export type BundleParseResult =
  | { kind: 'readable'; head: CommitId; pack: Buffer }
  | { kind: 'refused'; code: BundleRefusal }

export const maxBundleBytes = 24 * 1024 * 1024

const packLimits: PackLimits = { maxObjects: 20_000, maxObjectBytes: 10 * 1024 * 1024, maxTotalBytes: 64 * 1024 * 1024 }

const signature = Buffer.from('# v2 git bundle\n')
const maxHeaderBytes = 4096

const refused = (code: BundleRefusal): BundleParseResult => ({ kind: 'refused', code })

/**
 * Accepts only what `git bundle create out BASE..HEAD HEAD` writes: one base and one ref. Parsed here and not by git, so that
 * nothing is unpacked before it is known to be small.
 */
export async function readBundle(bundle: Uint8Array, base: CommitId): Promise<BundleParseResult> {
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
  if (otherRefs.length > 0 || ref !== `${head} HEAD`) return refused('unexpected_refs')
  if (!isCommitId(head)) return refused('not_a_bundle')

  const pack = bytes.subarray(headerEnd + 2)
  const refusal = await checkPack(pack, packLimits)
  return refusal ? refused(refusal) : { kind: 'readable', head, pack }
}
