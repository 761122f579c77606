import { formatPercent } from './format-numbers.ts'

/** Human and AI views as two segments. The length of the bar is relative to the largest row. */
export function HumanAiBar({ human, ai, largest }: { human: number; ai: number; largest: number }) {
  const total = human + ai
  const width = largest === 0 ? 0 : Math.max((total / largest) * 100, 1)
  return (
    <div
      className="two-part-bar"
      role="img"
      aria-label={`${formatPercent(human, total)} human, ${formatPercent(ai, total)} AI`}
      style={{ width: `${width}%` }}
    >
      <span style={{ flexGrow: human }} />
      <span style={{ flexGrow: ai }} />
    </div>
  )
}
