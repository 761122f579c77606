import type { PartReport } from '@colophon/sdk'
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
      {seen.state === 'no_answer' && <p className={styles.detail}>{seen.detail}</p>}
      {seen.state === 'answered' && (
        <ul>
          {Object.entries(seen.readiness.parts).map(([name, report]) => (
            <Part key={name} name={name} report={report} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Part({ name: key, report }: { name: string; report: PartReport }) {
  const { name, purpose, loss } = wordsForPart(key)
  const works = report.status === 'ok'
  return (
    <li className={styles.part} data-tone={works ? 'good' : 'bad'}>
      <h3>{name}</h3>
      <p>{works ? purpose : `${wordsForReason(report.reason)} ${loss}`}</p>
      <span className={styles.verdict}>{works ? `works · ${report.milliseconds} ms` : 'fails'}</span>
    </li>
  )
}
