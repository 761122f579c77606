/** The form of the entries in `requirements.ts`. */

/** What shows that a requirement is met. `checks/asvs.test.ts` verifies that the file contains the text. */
export interface Evidence {
  kind: 'test' | 'proof' | 'code' | 'document'
  /** From the root of the repository. */
  file: string
  /** The name of the test, the text in the code, or the heading in the document. Empty for a proof. */
  text: string
}

/** `subject`: what the requirement is about, in our own words. */
export type Requirement =
  | { status: 'met'; subject: string; how: string; needs: string | undefined; evidence: readonly Evidence[] }
  | { status: 'not applicable'; subject: string; reason: string }
  | { status: 'open'; subject: string; missing: string }

export interface Chapter {
  number: number
  title: string
  /** By ID, like `1.2.3`. */
  requirements: Readonly<Record<string, Requirement>>
}

type NonEmpty<Item> = readonly [Item, ...Item[]]

export const met = (subject: string, how: string, ...evidence: NonEmpty<Evidence>): Requirement => ({
  status: 'met',
  subject,
  how,
  needs: undefined,
  evidence,
})

/** `needs`: what an operator has to set. */
export const metIf = (needs: string, subject: string, how: string, ...evidence: NonEmpty<Evidence>): Requirement => ({
  status: 'met',
  subject,
  how,
  needs,
  evidence,
})

export const notApplicable = (subject: string, reason: string): Requirement => ({
  status: 'not applicable',
  subject,
  reason,
})

export const open = (subject: string, missing: string): Requirement => ({ status: 'open', subject, missing })

/** `name`: the name of the test, or its beginning. */
export const test = (file: string, name: string): Evidence => ({ kind: 'test', file, text: name })
export const proof = (name: string): Evidence => ({ kind: 'proof', file: `proofs/${name}.ts`, text: '' })
/** For what a test cannot show, for example that something is not used. */
export const code = (file: string, text: string): Evidence => ({ kind: 'code', file, text })
export const document = (file: string, heading: string): Evidence => ({ kind: 'document', file, text: heading })
