/** What a connection was found to be good for, in words and numbers that a person can act on. */
export type RepositoryTest =
  | { ok: false; message: string; found: null }
  | {
      ok: true
      message: string
      found: {
        defaultBranch: string
        /** Null: the host did not say. */
        docsFolderExists: boolean | null
        /** Null: too many to count in one look. */
        pages: number | null
        /** Else states of pull requests are followed by asking. */
        canManageWebhooks: boolean
      }
    }
