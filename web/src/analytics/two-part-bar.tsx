import { percent } from './numbers.ts'

/** People and AI as two lengths, together as long as the row's part of the largest. */
export function TwoPartBar({ human, ai, largest }: { human: number; ai: number; largest: number }) {
  const total = human + ai
  const width = largest === 0 ? 0 : Math.max((total / largest) * 100, 1)
  return (
    <div
      className="two-part-bar"
      role="img"
      aria-label={`${percent(human, total)} people, ${percent(ai, total)} AI`}
      style={{ width: `${width}%` }}
    >
      <span style={{ flexGrow: human }} />
      <span style={{ flexGrow: ai }} />
    </div>
  )
}
