import { NumberInput, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'

/** How long something is kept: `null` is for ever. `most` is what the API takes. */
export function useRetention(kept: number | null, { usual, most }: { usual: number; most: number }) {
  const [isLimited, setIsLimited] = useState(kept !== null)
  const [amount, setAmount] = useState<number | string>(kept ?? usual)
  const wanted = isLimited ? Number(amount) : null
  return {
    isLimited,
    setIsLimited,
    amount,
    setAmount,
    wanted,
    most,
    isPossible: wanted === null || (Number.isInteger(wanted) && wanted >= 1 && wanted <= most),
    /** Something goes for good when it is saved. */
    isShorter: wanted !== null && wanted < (kept ?? Number.POSITIVE_INFINITY),
  }
}

export function RetentionField({
  retention: { isLimited, setIsLimited, amount, setAmount, most, isPossible, isShorter },
  label,
  amountLabel,
  whenShorter,
  canChange,
}: {
  retention: ReturnType<typeof useRetention>
  label: string
  amountLabel: string
  whenShorter: string
  canChange: boolean
}) {
  return (
    <Stack gap="xs">
      <Switch
        label={label}
        checked={isLimited}
        onChange={(event) => setIsLimited(event.currentTarget.checked)}
        disabled={!canChange}
      />
      {isLimited && (
        <NumberInput
          label={amountLabel}
          min={1}
          max={most}
          allowDecimal={false}
          value={amount}
          onChange={setAmount}
          readOnly={!canChange}
          maw={380}
        />
      )}
      {isPossible && isShorter && <Text size="sm">{whenShorter}</Text>}
    </Stack>
  )
}
