import type { SendMessageData } from '@colophon/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { client } from '../app/client.ts'
import { IdempotencyKeyGenerator } from '../app/idempotency-key-generator.ts'

/** Sends a message to a job. An active job works on it after its current and queued turns, otherwise it starts immediately. */
export function useSendMessage(projectId: string, jobId: string, onSent?: () => void) {
  const queryClient = useQueryClient()
  const idempotency = useRef(new IdempotencyKeyGenerator())
  return useMutation({
    mutationFn: (body: SendMessageData['body']) =>
      client.jobs.sendMessage(projectId, jobId, body, { idempotencyKey: idempotency.current.keyFor(body) }),
    onSuccess: async () => {
      idempotency.current.sent()
      onSent?.()
      await queryClient.invalidateQueries({ queryKey: ['job', projectId, jobId] })
    },
  })
}
