import { flavorOrImage } from '../flavor-and-image';
import { defineRequestFilter, rootRequired } from './request-filter';

const LEVELS = ['user', 'host', 'deployment'] as const;

/** Whoever keeps a virtual TPM's secret: `hw:tpm_secret_security`, by default the user. */
export const tpmSecretSecurityFilter = defineRequestFilter({
  name: 'tpm_secret_security_filter',
  codes: { 'tpm.secret_security': 'the flavor names a TPM secret security that does not exist' },
  apply(request, _facts, _options, refuse) {
    if (flavorOrImage(request, 'tpm_version') === undefined) return null;
    const level = request.flavor.extraSpecs['hw:tpm_secret_security'] ?? 'user';
    if ((LEVELS as readonly string[]).includes(level)) {
      return rootRequired(`COMPUTE_SECURITY_TPM_SECRET_SECURITY_${level.toUpperCase()}`);
    }
    const sentence = `TPM secret security ${level} is not supported; it is one of ${LEVELS.join(', ')}.`;
    return refuse('tpm.secret_security', level, LEVELS, sentence);
  },
});
