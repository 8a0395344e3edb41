// Runs in the browser. Commands of the documents have the address under which this service is reached from here.

const { root, address } = document.querySelector('main').dataset;
const here = new URL(root, location.href).href.replace(/\/$/, '');
for (const code of document.querySelectorAll('.guide code')) code.textContent = code.textContent.replaceAll(address, here);
