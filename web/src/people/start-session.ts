import type { Session } from '@colophon/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { sessionQuery } from '../app/session.ts'

/** Continues as the person of the new session. Drops all cached data, which may belong to someone else. */
export function useSwitchToSession() {
  const queryClient = useQueryClient()
  const router = useRouter()
  return async (session: Session, to = '/') => {
    queryClient.clear()
    queryClient.setQueryData(sessionQuery.queryKey, session)
    await router.navigate({ href: to, replace: true })
  }
}
