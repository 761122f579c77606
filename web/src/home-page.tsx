import type { Client } from '@colophon/sdk'
import { useEffect } from 'react'
import { StatusPanel } from './readiness/status-panel.tsx'
import { useReadiness } from './readiness/use-readiness.ts'
import { wordsForState } from './readiness/wording.ts'
import { Wordmark } from './wordmark.tsx'

export function HomePage({ client }: { client: Client }) {
  const seen = useReadiness(client)
  const { headline, tone } = wordsForState(seen)
  const title = tone === 'poor' || tone === 'bad' ? `${headline} · Colophon` : 'Colophon'
  useEffect(() => {
    document.title = title // not <title>: beside the one in index.html, which stands first, it would not be shown
  }, [title])
  return (
    <div className="page">
      <header>
        <Wordmark />
        <p className="lead">
          A backend for docs that live in git, on your own machines: an agent that turns an instruction into a pull
          request, and an exact count of which pages people and AIs read.
        </p>
      </header>
      <main>
        <StatusPanel seen={seen} />
        <nav className="links" aria-label="API">
          <a href="/reference">
            API reference
            <span>Every call, with its answers</span>
          </a>
          <a href="/openapi.json">
            OpenAPI document
            <span>The same for generators and tools</span>
          </a>
        </nav>
      </main>
      <footer>
        {seen.state === 'answered' && <span>Version {seen.readiness.version}</span>}
        {seen.state !== 'asking' && (
          <span>
            Asked at <time dateTime={seen.at.toISOString()}>{seen.at.toLocaleTimeString()}</time>
          </span>
        )}
      </footer>
    </div>
  )
}
