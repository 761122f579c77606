import type { Client } from '@colophon/sdk'
import { useEffect, useState } from 'react'
import { type ReadinessPollState, watchReadiness } from './watch-readiness.ts'

const intervalSeconds = 5

/** Polls the readiness while the tab is visible: a hidden tab sends no requests, and polls immediately when it is shown again. */
export function useReadiness(client: Client): ReadinessPollState {
  const [state, setState] = useState<ReadinessPollState>({ state: 'loading' })
  useEffect(() => {
    let stop: (() => void) | undefined
    const follow = () => {
      stop?.()
      stop = document.hidden ? undefined : watchReadiness(client, intervalSeconds, setState)
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      stop?.()
    }
  }, [client])
  return state
}
