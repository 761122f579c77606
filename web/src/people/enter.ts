import type { Session } from '@colophon/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { sessionQuery } from '../app/session.ts'

/** Goes on as whoever the session says. Nothing that was seen before, perhaps by somebody else, is kept. */
export function useEnter() {
  const queryClient = useQueryClient()
  const router = useRouter()
  return async (session: Session, to = '/') => {
    queryClient.clear()
    queryClient.setQueryData(sessionQuery.queryKey, session)
    await router.navigate({ href: to, replace: true })
  }
}
