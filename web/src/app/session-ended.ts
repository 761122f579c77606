import { ColophonError } from '@colophon/sdk'
import type { QueryClient } from '@tanstack/react-query'
import type { AnyRouter } from '@tanstack/react-router'
import { sessionQuery } from './session.ts'

export const isUnauthenticated = (error: unknown): boolean =>
  error instanceof ColophonError && error.code === 'unauthenticated'

/**
 * A session can end while a page is open: the first refusal, of a question or of an action, leads to the sign-in page, and from
 * there back. A wrong password is refused in the same words, so the service is asked whether there is a session.
 */
export function leaveWhenSessionEnds(queryClient: QueryClient, router: AnyRouter): void {
  const look = async () => {
    const { person } = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
    if (person === null) await router.invalidate()
  }
  for (const cache of [queryClient.getQueryCache(), queryClient.getMutationCache()])
    cache.subscribe((event) => {
      if (event.type === 'updated' && event.action.type === 'error' && isUnauthenticated(event.action.error))
        void look().catch(() => undefined) // the page itself tells what it could not get
    })
}
