import type { ComponentStatus } from '@colophon/sdk'
import { describeComponent, describeReason, describeState } from './labels.ts'
import styles from './status-panel.module.css'
import type { ReadinessState } from './watch-readiness.ts'

export function StatusPanel({ state }: { state: ReadinessState }) {
  const { headline, meaning, tone } = describeState(state)
  return (
    <section className={styles.status} data-tone={tone} aria-label="Component status">
      <div role="status" className={styles.overall}>
        <h2>{headline}</h2>
        <p>{meaning}</p>
      </div>
      {state.state === 'unreachable' && <p className={styles.detail}>{state.detail}</p>}
      {state.state === 'loaded' && (
        <ul>
          {Object.entries(state.readiness.components).map(([name, report]) => (
            <Component key={name} name={name} report={report} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Component({ name: key, report }: { name: string; report: ComponentStatus }) {
  const { name, purpose, impact } = describeComponent(key)
  const ok = report.status === 'ok'
  return (
    <li className={styles.component} data-tone={ok ? 'good' : 'bad'}>
      <h3>{name}</h3>
      <p>{ok ? purpose : `${describeReason(report.reason)} ${impact}`}</p>
      <span className={styles.componentStatus}>{ok ? `OK · ${report.latencyMs} ms` : 'Failing'}</span>
    </li>
  )
}
