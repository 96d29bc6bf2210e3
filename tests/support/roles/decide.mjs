// Decides calls by the policies of a role and of a resource, as IAM does: a line of JSON for each question, and one for
// its answer.
import { createInterface } from 'node:readline'

import { runSimulation } from '@cloud-copilot/iam-simulate'

const ACCOUNT = '000000000000'

for await (const line of createInterface({ input: process.stdin })) {
  const { policy, action, resource, principal, context, resourcePolicy } = JSON.parse(line)
  const decided = await runSimulation(
    {
      identityPolicies: policy ? [{ name: 'role', policy }] : [],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
      permissionBoundaryPolicies: undefined,
      resourcePolicy: resourcePolicy ?? undefined,
      request: {
        principal: principal ?? `arn:aws:iam::${ACCOUNT}:role/caller`,
        action,
        resource: { resource, accountId: ACCOUNT },
        contextVariables: context,
      },
    },
    {},
  )
  const { overallResult, resultType, errors } = decided
  process.stdout.write(JSON.stringify(errors ? { errors } : { allowed: overallResult === 'Allowed', resultType }) + '\n')
}
