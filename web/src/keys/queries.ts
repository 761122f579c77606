import type { ApiKey } from '@colophon/sdk'
import { queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'

/** Loads all pages: the confirmation of a revocation lists the keys that are revoked as well, so it needs every key. */
export const keysQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['keys', projectId],
    queryFn: async ({ signal }) => {
      const all: ApiKey[] = []
      let cursor: string | null = null
      do {
        const page: Awaited<ReturnType<typeof client.keys.list>> = await client.keys.list(
          projectId,
          { limit: 250, ...(cursor !== null && { cursor }) },
          { signal },
        )
        all.push(...page.keys)
        cursor = page.nextCursor
      } while (cursor !== null)
      return all
    },
  })
