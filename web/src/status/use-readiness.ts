import type { Client } from '@colophon/sdk'
import { useEffect, useState } from 'react'
import { type ReadinessState, watchReadiness } from './watch-readiness.ts'

const intervalSeconds = 5

/** Polls the readiness while the tab is visible: a hidden tab sends no requests, and polls immediately when it is shown again. */
export function useReadiness(client: Client): ReadinessState {
  const [state, setState] = useState<ReadinessState>({ state: 'loading' })
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
