import { defineWeigher } from './weigher';

/** More devices than this are plenty: hosts above it count alike. */
const MANY = 100;

/** Keeps hosts with free PCI devices for servers that ask for some, and stacks those that do. */
export const pciWeigher = defineWeigher({
  name: 'PCIWeigher',
  multiplier: 'pci',
  what: 'scarcity of PCI devices',
  weigh: ({ freePciDevices }) => MANY - Math.min(freePciDevices, MANY - 1),
});
