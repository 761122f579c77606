import { ColophonError } from '@colophon/sdk'
import type { QueryClient } from '@tanstack/react-query'
import type { AnyRouter } from '@tanstack/react-router'
import { sessionQuery } from './session.ts'

export const isUnauthenticatedError = (error: unknown): boolean =>
  error instanceof ColophonError && error.code === 'unauthenticated'

/**
 * A session can end while a page is open. The first query or mutation that fails with `unauthenticated` then leads to the
 * sign-in page, and from there back. A wrong password fails with the same code, so the session is fetched to make sure.
 */
export function redirectWhenSessionEnds(queryClient: QueryClient, router: AnyRouter): void {
  const checkSession = async () => {
    const { person } = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
    if (person === null) await router.invalidate()
  }
  for (const cache of [queryClient.getQueryCache(), queryClient.getMutationCache()])
    cache.subscribe((event) => {
      if (event.type === 'updated' && event.action.type === 'error' && isUnauthenticatedError(event.action.error))
        void checkSession().catch(() => undefined) // the page itself shows what failed to load
    })
}
