import type { ComponentStatus } from '@colophon/sdk'
import { describeComponent } from './component-labels.ts'
import { describeFailureReason, describeReadinessState, describeWarning } from './labels.ts'
import styles from './status-panel.module.css'
import type { ReadinessPollState } from './watch-readiness.ts'

export function StatusPanel({ state }: { state: ReadinessPollState }) {
  const { headline, meaning, tone } = describeReadinessState(state)
  return (
    <section className={styles.status} data-tone={tone} aria-label="Component status">
      <div role="status" className={styles.overall}>
        <h2>{headline}</h2>
        <p>{meaning}</p>
      </div>
      {state.state === 'unreachable' && <p className={styles.detail}>{state.detail}</p>}
      {state.state === 'loaded' &&
        state.readiness.warnings?.map((warning) => (
          <p key={warning} className={styles.detail}>
            {describeWarning(warning)}
          </p>
        ))}
      {state.state === 'loaded' && state.readiness.newerVersion && (
        <p className={styles.detail}>
          Version {state.readiness.newerVersion} is available. This instance runs {state.readiness.version}.
        </p>
      )}
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

function Component({ name, report }: { name: string; report: ComponentStatus }) {
  const { title, purpose, impact } = describeComponent(name)
  const ok = report.status === 'ok'
  return (
    <li className={styles.component} data-tone={ok ? 'good' : 'bad'}>
      <h3>{title}</h3>
      <p>{ok ? purpose : `${describeFailureReason(report.reason)} ${impact}`}</p>
      <span className={styles.componentStatus}>{ok ? `OK · ${report.latencyMs} ms` : 'Failing'}</span>
    </li>
  )
}
