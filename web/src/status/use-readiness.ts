import type { Client } from '@colophon/sdk'
import { useEffect, useState } from 'react'
import { type Seen, watchReadiness } from './watch-readiness.ts'

const everySeconds = 5

/** Follows what works for as long as somebody looks: a hidden tab asks nothing, and asks at once when it is shown again. */
export function useReadiness(client: Client): Seen {
  const [seen, setSeen] = useState<Seen>({ state: 'asking' })
  useEffect(() => {
    let stop: (() => void) | undefined
    const follow = () => {
      stop?.()
      stop = document.hidden ? undefined : watchReadiness(client, everySeconds, setSeen)
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      stop?.()
    }
  }, [client])
  return seen
}
