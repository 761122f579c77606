import type { ComponentStatus } from '@colophon/sdk'
import styles from './status-panel.module.css'
import type { Seen } from './watch-readiness.ts'
import { wordsForPart, wordsForReason, wordsForState } from './wording.ts'

export function StatusPanel({ seen }: { seen: Seen }) {
  const { headline, meaning, tone } = wordsForState(seen)
  return (
    <section className={styles.status} data-tone={tone} aria-label="What works">
      <div role="status" className={styles.overall}>
        <h2>{headline}</h2>
        <p>{meaning}</p>
      </div>
      {seen.state === 'no_response' && <p className={styles.detail}>{seen.detail}</p>}
      {seen.state === 'answered' && (
        <ul>
          {Object.entries(seen.readiness.components).map(([name, report]) => (
            <Part key={name} name={name} report={report} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Part({ name: key, report }: { name: string; report: ComponentStatus }) {
  const { name, purpose, loss } = wordsForPart(key)
  const ok = report.status === 'ok'
  return (
    <li className={styles.part} data-tone={ok ? 'good' : 'bad'}>
      <h3>{name}</h3>
      <p>{ok ? purpose : `${wordsForReason(report.reason)} ${loss}`}</p>
      <span className={styles.verdict}>{ok ? `works · ${report.latencyMs} ms` : 'fails'}</span>
    </li>
  )
}
