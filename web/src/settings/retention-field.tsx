import { NumberInput, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'

/** The state of a `RetentionField`. A retention of `null` keeps data forever; `max` is the limit of the API. */
export function useRetentionFieldState(
  current: number | null,
  { defaultAmount, max }: { defaultAmount: number; max: number },
) {
  const [isLimited, setIsLimited] = useState(current !== null)
  const [amount, setAmount] = useState<number | string>(current ?? defaultAmount)
  const value = isLimited ? Number(amount) : null
  return {
    isLimited,
    setIsLimited,
    amount,
    setAmount,
    value,
    max,
    isValid: value === null || (Number.isInteger(value) && value >= 1 && value <= max),
    /** Saving it deletes data. */
    isShorter: value !== null && value < (current ?? Number.POSITIVE_INFINITY),
  }
}

export function RetentionField({
  retention: { isLimited, setIsLimited, amount, setAmount, max, isValid, isShorter },
  label,
  amountLabel,
  deletionWarning,
  canChange,
}: {
  retention: ReturnType<typeof useRetentionFieldState>
  label: string
  amountLabel: string
  deletionWarning: string
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
          max={max}
          allowDecimal={false}
          value={amount}
          onChange={setAmount}
          readOnly={!canChange}
          maw={380}
        />
      )}
      {isValid && isShorter && <Text size="sm">{deletionWarning}</Text>}
    </Stack>
  )
}
